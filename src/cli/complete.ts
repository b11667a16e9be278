import type { Caller } from "../contract/operation.ts";
import { readConfig } from "./config.ts";
import { connect } from "./connection.ts";
import type { Globals } from "./globals.ts";
import type { Terminal } from "./terminal.ts";

interface Candidate {
  readonly value: string | number;
  readonly name: string;
}

/** From the start of the process: nobody waits longer for a key. */
const patience = 150;

/**
 * `wcs __complete KIND PREFIX WORD...` prints candidates for completion, one per line: value, tab, name.
 * Whatever goes wrong, it prints nothing: an error in the middle of a command line helps nobody.
 */
export async function complete(
  [kind = "", prefix = "", ...words]: readonly string[],
  terminal: Terminal,
): Promise<void> {
  terminal.configure({ input: false, quiet: true });
  try {
    const candidates = kind === "profiles" ? profiles(terminal) : await items(kind, prefix, words, terminal);
    const lines = candidates.map(({ value, name }) => `${terminal.plain(String(value))}\t${terminal.plain(name)}\n`);
    await terminal.write(lines.join(""));
  } catch (error) {
    if (terminal.env.WCS_DEBUG === "1") throw error;
  }
}

function profiles({ env }: Terminal): Candidate[] {
  return Object.entries(readConfig(env).profiles).map(([value, { target }]) => ({ value, name: target }));
}

async function items(kind: string, prefix: string, words: readonly string[], terminal: Terminal): Promise<Candidate[]> {
  const { caller } = await connect(globalsIn(words), terminal, { asIs: true });
  try {
    const left = Math.floor(patience - performance.now());
    if (left <= 0) return [];
    const found = await Promise.race([find(kind, prefix, caller, AbortSignal.timeout(left)), timeout(left)]);
    return found.map(({ id, name }) => ({ value: id, name }));
  } finally {
    await caller.close();
  }
}

const timeout = (ms: number) =>
  new Promise<never>((_, reject) => setTimeout(() => reject(new Error("too late")), ms).unref());

async function find(
  kind: string,
  prefix: string,
  caller: Caller,
  signal: AbortSignal,
): Promise<{ id: number; name: string }[]> {
  const isName = prefix !== "" && !/^\d+$/.test(prefix);
  if (kind === "users") {
    const { users } = await import("../contract/users.ts");
    if (isName) return (await caller.call(users.search, { q: prefix }, { signal })).data;
    return (await caller.call(users.list, {}, { signal })).data;
  }
  if (kind === "units") {
    const { units } = await import("../contract/units.ts");
    return (await caller.call(units.list, isName ? { name: prefix } : {}, { signal })).data;
  }
  if (kind === "webhooks") {
    const { webhooks } = await import("../contract/webhooks.ts");
    return (await caller.call(webhooks.list, {}, { signal })).data;
  }
  const { usertypes } = await import("../contract/usertypes.ts");
  return (await caller.call(usertypes.list, {}, { signal })).data;
}

/** What the line so far says about the target. */
function globalsIn(words: readonly string[]): Globals {
  const found: Record<string, string> = {};
  for (const [at, word] of words.entries()) {
    const [, name, value] = /^--(profile|db|url|as)(?:=(.*))?$/s.exec(word) ?? [];
    if (name) found[name] = value ?? words[at + 1] ?? "";
  }
  return { header: true, color: false, input: false, timeout: "1", ...found };
}
