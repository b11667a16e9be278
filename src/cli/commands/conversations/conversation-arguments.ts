import type { FileItem } from "../../../contract/file-schemas.ts";
import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { splitList } from "../../kit/parse-value.ts";
import { renameErrorFields } from "../../kit/rename-error-fields.ts";

export const wordsIn = (given: string | string[] | undefined): string[] => [given ?? []].flat();

/** Returns the users that a flag names. Where it is empty it has an empty name, which is refused when it is looked up. */
export const usersNamed = (given: unknown): string[] =>
  [given ?? []].flat().flatMap((text) => {
    const names = splitList(text);
    return names.length === 0 ? [""] : names;
  });

/** The flags and arguments of input fields that have other names. */
const places: Readonly<Record<string, string>> = {
  id: "<id>",
  messageId: "<message>",
  message: "<text>",
  recipients: "--to",
  parent_id: "--reply-to",
  starter_message_id: "--around",
  query: "<words>",
};

/** Runs `work` against the selected target. Errors about input fields name the flags and, with `files`, the file. */
export async function withCaller<T>(
  context: Context,
  work: (caller: Caller) => Promise<T>,
  files: readonly FileItem[] = [],
): Promise<T> {
  const { caller } = await context.connect();
  try {
    return await work(caller);
  } catch (error) {
    throw renameErrorFields(error, (field) => {
      const [first = "", index] = field.split(".");
      if (first === "files") return `--file ${files[Number(index)]?.name ?? ""}`.trim();
      return places[first] ?? `--${first}`;
    });
  }
}

/** Returns a function that finds the conversation of the argument, or asks for one on a terminal, and returns its ID. */
export function conversationOf({ args, terminal }: Context): (caller: Caller) => Promise<number> {
  if (args.id !== undefined)
    return async (caller) => findOneByName("conversations", "<id>", args.id, { caller, terminal });
  if (!terminal.interactive) throw new UsageError("missing <id>");
  return async (caller) =>
    (await import("../../kit/list-choices.ts")).chooseListed("conversations", { caller, terminal });
}
