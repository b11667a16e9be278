import { conversations } from "../../../contract/conversations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { FileItem } from "../../../contract/file-schemas.ts";
import type { Caller, CallOptions } from "../../../contract/operation.ts";
import { Interrupted, UsageError } from "../../errors/cli-errors.ts";
import { createSources, type Sources } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { editText } from "../../kit/edit-field.ts";
import { findOneByName, findSeveral } from "../../kit/find-by-name.ts";
import { failWithKey, idempotencyOf } from "../../kit/idempotency-key.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { createOutput } from "../../output/create-output.ts";
import { usersNamed, withCaller, wordsIn } from "./conversation-arguments.ts";
import type { ShownMessage } from "./message-lines.ts";
import { messageForm } from "./render-message.ts";

export async function sendMessage(context: Context): Promise<void> {
  const { flags, args, terminal } = context;
  const words = [...wordsIn(args.id), ...wordsIn(args.text)];
  const to = usersNamed(flags.to);
  const place = to.length > 0 ? undefined : words.shift();
  if (to.length > 0 && flags.replyTo !== undefined) throw new UsageError("--to and --reply-to cannot be used together");
  if (to.length === 0 && place === undefined)
    throw new UsageError("missing <id>", { hint: "to send to users, use --to USER,..." });
  const parent_id = flags.replyTo === undefined ? undefined : parseInteger(flags.replyTo, "--reply-to");
  const sources = createSources(terminal);
  const paths = flags.file as string[] | undefined;
  const files = paths && (await (await import("../../file-io/file-items.ts")).readItems(paths, "--file", sources));
  const options = { ...(await optionsOf(context, files)), ...idempotencyOf(context) };
  const needed = files === undefined;
  const send = async (caller: Caller) => {
    if (place === undefined) {
      const recipients = await findSeveral("users", "--to", to, { caller, terminal });
      const use = (message: string) => caller.call(conversations.create, { recipients, message, files }, options);
      return compose(context, { words, sources, needed, use });
    }
    const id = await findOneByName("conversations", "<id>", place, { caller, terminal }).catch(addRecipientHint);
    const begin = () => caller.call(conversations.get, { id }).then(() => "");
    const use = (message: string) => caller.call(conversations.send, { id, message, parent_id, files }, options);
    return compose(context, { words, sources, needed, use, begin });
  };
  const sendOnce = (caller: Caller) => send(caller).catch((error) => failWithKey(error, context));
  await withCaller(context, async (caller) => show(context, await sendOnce(caller)), files);
}

/** Throws the error of a conversation that was not found, with the way to write to a user. */
function addRecipientHint(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
  const hint = `${error.hint} To write to a user, use --to USER.`;
  throw new ServiceError(error.code, error.message, { hint, cause: error });
}

export async function editMessage(context: Context): Promise<void> {
  const { args } = context;
  const messageId = parseInteger(args.message, "<message>");
  const options = await optionsOf(context);
  await withCaller(context, async (caller) => {
    const id = await findOneByName("conversations", "<id>", args.id, { caller, terminal: context.terminal });
    const begin = async () => (await caller.call(conversations.message, { id, messageId })).message;
    const use = (message: string) => caller.call(conversations.messageUpdate, { id, messageId, message }, options);
    const sources = createSources(context.terminal);
    await show(context, await compose(context, { words: wordsIn(args.text), sources, use, begin }));
  });
}

async function optionsOf({ flags, terminal }: Context, files?: readonly FileItem[]): Promise<CallOptions> {
  const dryRun = flags.dryRun === true;
  if (files === undefined) return { dryRun };
  const { uploadProgress } = await import("../../file-io/show-progress.ts");
  return { dryRun, onSent: uploadProgress(terminal) };
}

async function show(context: Context, message: ShownMessage): Promise<void> {
  await createOutput({ op: conversations.message, renderer: async () => messageForm() }, context).one(message);
  if (context.flags.dryRun) context.terminal.note(dryRunNote);
}

interface Composition<T> {
  readonly words: readonly string[];
  readonly sources: Sources;
  /** True when there must be a text, so that an empty stdin has none. */
  readonly needed?: boolean;
  use(text: string): Promise<T>;
  /** Returns the text with which the editor opens. Runs before that, so that a missing conversation fails early. */
  begin?(): Promise<string>;
}

/**
 * Passes the text of a message to `use`: the words on the command line; else stdin, for `-` or when stdin is not a
 * terminal; else text written in an editor.
 */
async function compose<T>({ terminal }: Context, composition: Composition<T>): Promise<T> {
  const { words, sources, needed, use, begin } = composition;
  const fromStdin = words.length === 0 ? !terminal.stdinIsTerminal : words.length === 1 && words[0] === "-";
  if (fromStdin) {
    const text = await sources.stdin("<text>", words.length > 0 ? undefined : null);
    if (text !== "" || !needed) return use(text);
  }
  if (words.length > 0) return use(words.join(" "));
  if (!terminal.interactive)
    throw new UsageError("missing <text>", { hint: "pass the text as an argument, or - to read it from stdin" });
  const before = (await begin?.()) ?? "";
  const edited = await editText(before, "message.txt", terminal, use);
  if (edited) return edited.result;
  terminal.note(before === "" ? "Nothing was sent." : "Nothing was changed.");
  throw new Interrupted();
}
