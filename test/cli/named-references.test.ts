import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { type CommandEntry, isGroup, isOperation } from "../../src/cli/kit/command-spec.ts";
import { namedKindOf, refersTo } from "../../src/cli/kit/field-flags.ts";
import { createInputSpec } from "../../src/cli/kit/input-spec.ts";
import { labelOf } from "../../src/cli/kit/read-input.ts";
import { registry } from "../../src/cli/registry.ts";
import { namedKinds } from "../../src/contract/field-metadata.ts";
import type { Field } from "../../src/contract/field-spec.ts";
import { useHome } from "./support.ts";

/** The things that are given by ID only, each with the reason. */
const withoutNames: Readonly<Record<string, string>> = {
  sessions: "sessions have no names; a missing ID is chosen from a list",
  messages: "messages have no names",
  files: "names of files are repeated, also in one post",
  entry: "entries of a log have no names",
  message: "messages have no names",
  comment: "comments have no names",
  choices: "posts vote finds the texts of choices in its poll",
  "parent-id": "comments have no names",
};

/** Command lines with a name that nothing has, for each argument and flag that commands look up themselves. */
const lookedUp: Readonly<Record<string, string>> = {
  "users avatar get <user>": "users avatar get Nobody -o -",
  "units image get <unit>": "units image get Nobody -o -",
  "groups image get <group>": "groups image get Nobody -o -",
  "users export --unit": "users export - --unit Nobody",
  "users export-data <user>": "users export-data Nobody --to data",
  "conversations export <id>": "conversations export Nobody -o -",
  "conversations follow <id>": "conversations follow Nobody",
  "conversations message edit <id>": "conversations message edit Nobody 1 Hello",
  "conversations messages <id>": "conversations messages Nobody",
  "conversations search --conversation": "conversations search Hello --conversation Nobody",
  "conversations send <id>": "conversations send Nobody Hello",
  "events export <ids>": "events export Nobody",
  "conversations list --with": "conversations list --with Nobody",
  "conversations list --without": "conversations list --without Nobody",
  "conversations send --to": "conversations send --to Nobody Hello",
  "events import --units": "events import EVENTS --type chain --units Nobody",
  "events import --user-types": "events import EVENTS --type chain --user-types Nobody",
};

interface Place {
  readonly words: string;
  /** The kind of the things, or the name of the field. */
  readonly kind: string;
  readonly isOwn: boolean;
}

async function places(): Promise<Place[]> {
  const found: Place[] = [];
  const isKind = (text: unknown): text is string =>
    typeof text === "string" && (text in withoutNames || namedKinds.some((kind) => kind === text));
  const walk = (path: string, entry: CommandEntry): void => {
    if (isGroup(entry)) {
      for (const [name, child] of Object.entries(entry.commands)) walk(`${path} ${name}`, child);
    } else if (isOperation(entry)) {
      const { args, flags } = createInputSpec(entry);
      const fields: [word: string, field: Field][] = [
        ...args.map((arg): [string, Field] => [`<${labelOf(arg)}>`, arg.described]),
        ...flags.map(({ name, field }): [string, Field] => [`--${name}`, field]),
      ];
      for (const [word, field] of fields) {
        const isId = [field, field.items].some((each) => each?.placeholder === "id");
        const kind = namedKindOf(field) ?? refersTo(field) ?? (isId ? word.replace(/^--|[<>]/g, "") : undefined);
        if (kind !== undefined) found.push({ words: `${path} ${word}`, kind, isOwn: false });
      }
    }
    if (isGroup(entry)) return;
    const words = [
      ...(isOperation(entry) ? [] : (entry.args ?? [])).map(({ name, completes }) => [`<${name}>`, completes] as const),
      ...(entry.flags ?? []).map(({ flags, completes }) => [/--[\w-]+/.exec(flags)?.[0], completes] as const),
    ];
    for (const [word, kind] of words) if (isKind(kind)) found.push({ words: `${path} ${word}`, kind, isOwn: true });
  };
  for (const [name, { load }] of Object.entries(registry)) walk(name, await load());
  return found;
}

describe("each argument and flag that stands for a thing", () => {
  const home = useHome();
  const isNamed = (kind: string) => kind === "departments" || namedKinds.some((each) => each === kind);
  let all: readonly Place[];
  beforeAll(async () => {
    all = await places();
    const event = "BEGIN:VEVENT\nUID:1\nSUMMARY:Party\nDTSTART:20310105T090000Z\nEND:VEVENT";
    writeFileSync(home().path("events.ics"), `BEGIN:VCALENDAR\nVERSION:2.0\n${event}\nEND:VCALENDAR\n`);
  });

  it("takes a name, or there is a reason why not", () => {
    expect(all.length).toBeGreaterThan(100);
    const unnamed = all.filter(({ kind }) => !isNamed(kind));
    expect(unnamed.filter(({ kind }) => withoutNames[kind] === undefined)).toEqual([]);
    expect(new Set(unnamed.map(({ kind }) => kind))).toEqual(new Set(Object.keys(withoutNames)));
  });

  it("is tried with a name here when the command looks it up itself", () => {
    const own = all.filter(({ kind, isOwn }) => isOwn && isNamed(kind));
    expect(own.map(({ words }) => words).sort()).toEqual(Object.keys(lookedUp).sort());
  });

  it.each(Object.values(lookedUp))("wcs %s looks for the name", async (line) => {
    const { code, stderr } = await home().wcs(line.replace("EVENTS", home().path("events.ics")).split(" "));
    expect(stderr).toMatch(/no (user|unit|user type|group|webhook|event|conversation) is called Nobody/);
    expect(code).toBe(6);
  });

  it("of a scope of an import takes a name, too", async () => {
    writeFileSync(home().path("users.csv"), "first_name,last_name,email,unit\n");
    const scope = ["--deactivate-missing", "--scope", "unit:Nobody", "--yes"];
    const { code, stderr } = await home().wcs(["users", "import", home().path("users.csv"), ...scope]);
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining("no unit is called Nobody") });
  });
});
