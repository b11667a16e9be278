import { homedir } from "node:os";
import type { z } from "zod";
import { type ListedKind, listedKinds, type NamedKind, namedKinds } from "../../../contract/field-metadata.ts";
import type { Caller, CallOptions, Operation } from "../../../contract/operation.ts";
import type { CommandEnvironment } from "../../kit/command-context.ts";
import { connect } from "../../session/connection.ts";
import { refusePassword } from "../../session/database-url.ts";
import type { Globals } from "../../terminal/global-options.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import type { LineToComplete } from "./complete-on-line.ts";
import { type Candidate, knownValues } from "./known-values.ts";

/** Milliseconds from the start of the process after which completion gives up: the user waits for a key press. */
const defaultTimeLimit = 150;

/** `wcs __complete KIND PREFIX WORD...` prints value, tab and name of each candidate. Prints no errors: they would disturb the typed line. */
export async function complete(
  [kind = "", typed = "", ...words]: readonly string[],
  environment: CommandEnvironment,
): Promise<void> {
  const { terminal } = environment;
  terminal.configure({ input: false, quiet: true });
  // Only the last item of a list is completed.
  const head = typed.slice(0, typed.lastIndexOf(",") + 1);
  const prefix = typed.slice(head.length);
  try {
    const known = await knownValues(kind, typed, words, environment);
    const candidates = known ?? (await findCandidates(kind, prefix, words, environment));
    const lines = candidates
      .filter(({ value }) => !head.split(",").includes(String(value)))
      .map(({ value, name }) => `${sanitizeLine(`${head}${value}`)}\t${sanitizeLine(name)}\n`);
    await terminal.write(lines.join(""));
  } catch (error) {
    if (terminal.env.WCS_DEBUG === "1") throw error;
  }
}

async function findCandidates(kind: string, prefix: string, words: readonly string[], environment: CommandEnvironment) {
  const { terminal } = environment;
  const finder = finders[kind];
  if (!finder) return [];
  const { as, ...given } = globalsIn(words);
  // The user of --as may be the word that is completed.
  const globals: Globals = as === prefix ? given : { ...given, as };
  refusePassword(globals.db);
  const timeLimit = Number(terminal.env.WCS_COMPLETION_TIMEOUT) || defaultTimeLimit;
  const timeout = String(Math.ceil(timeLimit / 1000));
  const { caller } = await connect({ ...globals, timeout }, terminal, { asIs: true });
  try {
    const left = Math.floor(timeLimit - performance.now());
    if (left <= 0) return [];
    const name = prefix === "" || /^\d+$/.test(prefix) ? undefined : prefix;
    const options = { signal: AbortSignal.timeout(left) };
    // Lists of these kinds also match what is not in the title, such as the participants of a conversation.
    const isListed = listedKinds.some((each) => each === kind);
    const named = isListed ? undefined : namedKinds.find((each) => each === kind);
    const find =
      named === undefined || name === undefined
        ? itemsIn(finder, { caller, options, name, words, environment })
        : byName(named, name, caller, options);
    const found = await Promise.race([find, rejectAfter(left)]);
    // Shells insert the common prefix of the lines. For two lines with the same value, it would include a part of a name.
    return [...new Map(found.map((each) => [String(each.value), each])).values()];
  } finally {
    await caller.close();
  }
}

async function itemsIn(finder: Finder, wanted: Wanted): Promise<Candidate[]> {
  const text = wanted.name?.toLowerCase() ?? "";
  return (await finder(wanted)).flatMap(({ id, name }) =>
    typeof id === "string" || name.toLowerCase().includes(text) ? [{ value: id, name }] : [],
  );
}

/** Returns the names that begin with a text, so that what was typed stays. Others are replaced by their IDs. */
async function byName(kind: NamedKind, text: string, caller: Caller, options: CallOptions): Promise<Candidate[]> {
  // `me` stays as it is typed, in place of becoming an ID.
  if (kind === "users" && text === "me") return [{ value: text, name: "You" }];
  const { names } = await import("../../../contract/names.ts");
  const { data } = await caller.call(names.find, { texts: [text], kinds: [kind] }, options);
  return data.map(({ id, name, detail }) => {
    const isOnly = data.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length === 1;
    const isPlain = !name.includes(",") && name.toLowerCase().startsWith(text.toLowerCase());
    const where = detail === null ? "" : `${detail}, `;
    return isOnly && isPlain ? { value: name, name: `${where}${id}` } : { value: id, name: `${name} (${where}${id})` };
  });
}

const rejectAfter = (ms: number) =>
  new Promise<never>((_, reject) => setTimeout(() => reject(new Error("too late")), ms).unref());

interface Wanted extends LineToComplete {
  /** Beginning of a name; undefined when the user has typed an ID, or nothing yet. */
  readonly name: string | undefined;
}

type Found = Readonly<{ id: number | string; name: string }>;
type Finder = (wanted: Wanted) => Promise<readonly Found[]>;

const firstPageOf =
  (load: () => Promise<Operation<z.ZodType, z.ZodType<{ data: Found[] }>>>): Finder =>
  async ({ caller, options }) =>
    (await caller.call(await load(), {}, options)).data;

/** Finds things that belong to another one on the line. Once a name is typed, names are the values: shells offer those that begin with it. */
const onLine =
  (find: keyof typeof import("./complete-on-line.ts")): Finder =>
  async (wanted) => {
    const found = await (await import("./complete-on-line.ts"))[find](wanted);
    return wanted.name === undefined ? found : found.map(({ id, name }) => ({ id: name, name: String(id) }));
  };

const finders: Readonly<Record<string, Finder>> = {
  ...Object.fromEntries(listedKinds.map((kind) => [kind, listFinder(kind)])),
  users: firstPageOf(async () => (await import("../../../contract/users.ts")).users.list),
  units: firstPageOf(async () => (await import("../../../contract/units.ts")).units.list),
  usertypes: firstPageOf(async () => (await import("../../../contract/usertypes.ts")).usertypes.list),
  webhooks: firstPageOf(async () => (await import("../../../contract/webhooks.ts")).webhooks.list),
  groups: firstPageOf(async () => (await import("../../../contract/groups.ts")).groups.list),
  async tokens({ caller, options }) {
    const { tokens } = await import("../../../contract/tokens.ts");
    const { data } = await caller.call(tokens.list, {}, options);
    return data.map(({ id, name, owner }) => ({ id, name: `${name} (${owner.name})` }));
  },
  choices: onLine("choicesOnLine"),
  departments: onLine("departmentsOnLine"),
  memberships: onLine("membershipsOnLine"),
  async languages({ caller, options, name = "" }) {
    const { languages } = await import("../../../contract/languages.ts");
    const { data } = await caller.call(languages.list, {}, options);
    // The name is for reading only: the code is typed.
    return data
      .filter(({ code }) => code.toLowerCase().startsWith(name.toLowerCase()))
      .map(({ code, name }) => ({ id: code, name }));
  },
  async messages({ caller, options, words }) {
    const id = Number(words.find((word) => /^\d+$/.test(word)));
    if (!id) return [];
    const { conversations } = await import("../../../contract/conversations.ts");
    const { summarizeMessage } = await import("../conversations/message-lines.ts");
    const { data } = await caller.call(conversations.messages, { id }, options);
    return data.map((message) => ({ id: message.id, name: summarizeMessage(message) }));
  },
};

function listFinder(kind: ListedKind): Finder {
  return async ({ caller, options, name }) =>
    (await import("../../kit/list-choices.ts")).itemLists[kind](caller, options, name);
}

/** Reads the options that select the target from the command line so far. */
function globalsIn(words: readonly string[]): Globals {
  const found: Record<string, string> = {};
  for (const [at, word] of words.entries()) {
    const [, name, value] = /^--(profile|db|url|as)(?:=(.*))?$/s.exec(word) ?? [];
    const given = value ?? words[at + 1];
    // Shells complete a word as it was typed, before they expand ~.
    if (name && given !== undefined) found[name] = given.replace(/^~(?=\/)/, () => homedir());
  }
  return { header: true, color: false, input: false, ...found };
}
