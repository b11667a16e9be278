import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { allOperations } from "../../src/contract/all-operations.ts";
import { type Field, fieldOf } from "../../src/contract/field-spec.ts";
import { tryParse } from "../../src/contract/parse-input.ts";
import { unitRow } from "../../src/contract/unit-schemas.ts";
import { units } from "../../src/contract/units.ts";
import { userRow } from "../../src/contract/user-schemas.ts";
import { users } from "../../src/contract/users.ts";
import { newHome } from "../cli/support.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { refusal, wrongFields } from "../support/outcome.ts";

/** Characters that make a terminal, a mail header or a reader take text for something else. */
const controls = {
  ESC: "\u001b",
  BEL: "\u0007",
  NUL: "\0",
  CR: "\r",
  "vertical tab": "\u000b",
  DEL: "\u007f",
  CSI: "\u009b",
  NEL: "\u0085",
};
const notOnALine = {
  ...controls,
  LF: "\n",
  tab: "\t",
  "line separator": "\u2028",
  "paragraph separator": "\u2029",
  "direction override": "\u202e",
  "direction embedding": "\u202a",
  "direction isolate": "\u2066",
  "end of isolate": "\u2069",
};
const sentence = "must be on one line, without control characters or direction overrides";

interface Place {
  readonly path: readonly (string | number)[];
  readonly field: Field;
}

function* textFields(field: Field, path: Place["path"] = []): Generator<Place> {
  if (field.kind === "string") yield { path, field };
  for (const inner of field.fields ?? []) yield* textFields(inner, [...path, inner.name]);
  if (field.items) yield* textFields(field.items, [...path, 0]);
}

/** The input that holds nothing but this value. */
const holding = (path: Place["path"], value: unknown): unknown =>
  path.reduceRight((inner, part) => (part === 0 ? [inner] : { [part]: inner }), value);

/** Returns the messages of the schema about the value at its place. */
function saidOf(schema: z.ZodType, path: Place["path"], value: string): readonly string[] {
  const result = tryParse(schema, holding(path, value));
  return (!result.ok && result.fields[path.join(".")]) || [];
}

/** Any characters are good in a password, and content of files is checked as what it is. */
const isFree = ({ field }: Place) => field.secret || (field.name === "data" && field.items === undefined);

const operations = await allOperations();
const inputs: (readonly [string, z.ZodType])[] = [
  ...operations.map((op) => [op.name, op.input()] as const),
  ["a row of users.import", userRow()],
  ["a row of units.import", unitRow()],
];
const places = inputs.flatMap(([name, schema]) =>
  [...textFields(fieldOf("", schema))].map((place) => ({ name: `${name} ${place.path.join(".")}`, schema, ...place })),
);

describe("No text field of any operation takes characters that a terminal or a mail header obeys", () => {
  it.each(places.filter((place) => !isFree(place) && !place.field.multiline))("$name", ({ schema, path }) => {
    for (const [what, character] of Object.entries(notOnALine))
      expect(saidOf(schema, path, `a${character}b`), what).not.toEqual([]);
  });

  it.each(places.filter((place) => place.field.multiline))("$name (several lines)", ({ schema, path }) => {
    for (const [what, character] of Object.entries(controls))
      expect(saidOf(schema, path, `a${character}b`), what).not.toEqual([]);
    expect(saidOf(schema, path, "a\tb\nc\r\nd")).toEqual([]);
  });

  const limited = places.filter((place) => !isFree(place) && place.field.kind === "string");
  it.each(limited)(
    "$name: of text in megabytes, only the length is looked at, or it is short by its form",
    ({ schema, path }) => {
      const [first, ...others] = saidOf(schema, path, "\u001b".repeat(1_000_000));
      expect([first, others]).toEqual([expect.stringMatching(/^must (have|be|not|name)/), []]);
      expect(first).not.toMatch(/control characters/);
    },
  );

  it("a text of the largest length may be of characters of two units, and of CR LF", () => {
    const { schema, path } = places.find(({ name }) => name === "posts.create title")!;
    const lines = places.find(({ name }) => name === "posts.create body")!;
    const said = (text: string) => saidOf(schema, path, text);
    expect([said("\u{1F600}".repeat(255)), said("\u{1F600}".repeat(256)), said("a".repeat(511))]).toEqual([
      [],
      ["must have at most 255 characters"],
      ["must have at most 255 characters"],
    ]);
    expect(saidOf(lines.schema, lines.path, `a${"\r\n".repeat(99_999)}`)).toEqual([]);
    expect(saidOf(lines.schema, lines.path, `a${"\r\n".repeat(100_000)}`)).toEqual([
      "must have at most 100000 characters",
    ]);
  });

  it("of the name of an unknown field, 100 characters are repeated", () => {
    const result = tryParse(userRow(), { [`x${"y".repeat(1_000_000)}`]: 1 });
    expect(!result.ok && Object.keys(result.fields)).toContain(`x${"y".repeat(99)}…`);
  });

  it("finds the fields it is about", () => {
    const names = places.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "users.create first_name",
        "users.update phone",
        "users.create meta_field_4",
        "a row of users.import department",
        "units.update addresses.company.street",
        "units.create contact.name",
        "posts.create poll.choices.0.title",
        "posts.create event.link",
        "posts.create files.0.name",
        "events.create location",
        "conversations.update title",
        "webhooks.create name",
        "settings.set mail.from",
      ]),
    );
    expect(new Set(places.filter(({ field }) => field.multiline).map(({ field }) => field.name))).toEqual(
      new Set(["body", "message", "description", "comments"]),
    );
    expect(new Set(places.filter((place) => isFree(place) && !place.field.secret).map(({ name }) => name))).toEqual(
      new Set(names.filter((name) => /files\.0\.data$/.test(name))),
    );
  });
});

it("Neither the first administrator nor the root unit can have such a name", async () => {
  const home = newHome();
  const init = (name: string, unit: string) =>
    home.sit(["init", "--admin-email", "a@example.com", "--admin-name", name, "--root-unit", unit]);
  for (const [name, unit, flag] of [
    ["Ada\u001b Admin", "Acme", "--admin-name"],
    ["Ada Admin", "Acme\u202e", "--root-unit"],
  ] as const) {
    const { code, stderr } = await init(name, unit);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `error: ${flag} ${sentence}.\n` });
  }
});

describeOnOneDatabase("control characters in text", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  let count = 0;
  const create = (fields: Record<string, unknown>) => {
    count += 1;
    const eve = { first_name: "Eve", last_name: "Evil", email: `eve${count}@example.com`, unit: 1 };
    return admin().call(users.create, { ...eve, ...fields });
  };

  it("A name cannot hold an escape sequence, a second mail header or a turned direction", async () => {
    const { code, fields } = await refusal(
      create({ first_name: "\u001b]0;owned\u0007", last_name: "x\r\nBcc: all@example.com", title: "\u202etxt.exe" }),
    );
    expect({ code, fields }).toEqual({
      code: "validation_failed",
      fields: { first_name: [sentence], last_name: [sentence], title: [sentence] },
    });
  });

  it("Names in scripts that need joiners and direction marks, and emoji, are good", async () => {
    const first_name = "نامه\u200cای 👩\u200d👩\u200d👧";
    const last_name = "\u200fשם\u200e";
    expect(await create({ first_name, last_name })).toMatchObject({ first_name, last_name });
  });

  it("A description keeps its lines and tabs; CR LF becomes LF; an escape sequence is refused", async () => {
    const unit = { name: "Lines", parent: 1 };
    const made = await admin().call(units.create, { ...unit, description: "a\r\nb\n\tc \u202bאב\u202c" });
    expect(made).toMatchObject({ description: "a\nb\n\tc \u202bאב\u202c" });
    for (const description of ["\u001b[2J", "a\rb"])
      expect(await wrongFields(admin().call(units.create, { ...unit, description }))).toEqual(["description"]);
  });

  it("An import leaves out the rows with such characters, naming the field, and takes the others", async () => {
    const row = { first_name: "Row", last_name: "Good", email: "row@example.com", unit: "harbour" };
    const bad = { ...row, email: "bad@example.com", phone: "1\u001b[31m", user_types: "Evil\u0007" };
    const { results } = await admin().call(users.import, { rows: [bad, row], create_user_types: true });
    expect(results).toMatchObject([
      { action: "skipped", fields: { phone: [sentence], user_types: [sentence] } },
      { action: "created" },
    ]);
    const rows = [{ reference: "evil", name: "Evil\u202e", parent: "" }];
    expect((await admin().call(units.import, { rows })).results).toMatchObject([
      { action: "skipped", fields: { name: [sentence] } },
    ]);
  });

  it("A name that is there already with such characters can be read, searched and put right", async () => {
    const { id } = await create({});
    const { database } = world().instance;
    await database.write(async (tx) => {
      await tx.updateTable("users").set({ first_name: "Eve\u001b[31m\r\n" }).where("id", "=", id).execute();
    });
    expect(await admin().call(users.get, { id })).toMatchObject({ first_name: "Eve\u001b[31m\r\n" });
    expect(await admin().call(users.update, { id, first_name: "Eve" })).toMatchObject({ first_name: "Eve" });
  });
});
