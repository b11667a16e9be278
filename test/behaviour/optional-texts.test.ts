import { expect, it } from "vitest";
import type { z } from "zod";
import { allOperations } from "../../src/contract/all-operations.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { type Field, fieldOf } from "../../src/contract/field-spec.ts";
import { posts } from "../../src/contract/posts.ts";
import { users } from "../../src/contract/users.ts";
import { hasBody } from "../../src/http/encode-request.ts";
import { useWorld } from "../support/actors.ts";
import { upload } from "../support/attachments.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { wrongFields } from "../support/outcome.ts";

/** Fields that cannot be empty, although a request can leave them out. */
const neverEmpty: readonly [reason: string, fields: readonly string[]][] = [
  ["a change of what a thing always has", ["first_name", "last_name", "email", "name", "title", "uri"]],
  ["always has a value in the poll and in the event", ["poll.question", "event.datetime_start", "event.datetime_end"]],
  ["a secret that is compared or stored", ["otp", "password", "current"]],
  ["a scope, of which one must be given", ["provider"]],
  [
    "times and numbers, also in a form of text",
    [
      ...["expires_at", "max_removals", "event.recurrence.until"],
      ...["recurrence.bymonthday", "recurrence.bymonth", "recurrence.bysetpos"],
    ],
  ],
];
const excepted = new Set(neverEmpty.flatMap(([, fields]) => fields));

/** Returns the optional texts of an object, with their schemas and paths. */
function textsOf(schema: z.ZodType, path = ""): { path: string; schema: z.ZodType }[] {
  let inner = schema;
  for (let def = inner._zod.def; "innerType" in def || "element" in def; def = inner._zod.def)
    inner = ("innerType" in def ? def.innerType : def.element) as z.ZodType;
  if (inner._zod.def.type !== "object") return [];
  return Object.entries((inner as z.ZodObject).shape as Record<string, z.ZodType>).flatMap(([name, field]) => [
    ...(isText(fieldOf(name, field)) && field.safeParse(undefined).success
      ? [{ path: path + name, schema: field }]
      : []),
    ...textsOf(field, `${path}${name}.`),
  ]);
}

const isText = ({ kind, values, format }: Field) =>
  kind === "string" && !values && (format === undefined || format === "date");

it.each((await allOperations()).filter(hasBody).map((op) => [op.name, op] as const))(
  "the optional texts of %s can be empty and null",
  (_, op) => {
    const texts = textsOf(op.input()).filter(({ path }) => !excepted.has(path));
    const refused = texts.filter(({ schema }) => !["", null].every((value) => schema.safeParse(value).success));
    expect(refused.map(({ path }) => path)).toEqual([]);
  },
);

describeOnOneDatabase("optional texts that are empty or null count as absent", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;

  it.each(["", null])("events.create: the uid of an event: %j", async (uid) => {
    const input = { title: "Meeting", type: "user", start: 1, end: 2, uid } as const;
    const made = [await admin().call(events.create, input), await admin().call(events.create, input)];
    expect(made.map((event) => event.uid)).toEqual([expect.stringMatching(/@wcs$/), expect.stringMatching(/@wcs$/)]);
  });

  it("conversations.create: the text of a message with files", async () => {
    const input = { recipients: [world().ids.colleague], message: null };
    const { message } = await admin().call(conversations.create, { ...input, files: [upload("a.txt", "a")] });
    expect(message).toBe("");
    expect(await wrongFields(admin().call(conversations.create, input))).toEqual(["message"]);
  });

  it.each(["", null])(
    "posts.update and posts.vote: the time zone of an event and an added choice: %j",
    async (nothing) => {
      const event = { datetime_start: "2027-03-01T10:00", timezone: "Europe/Copenhagen" };
      const poll = { question: "When?", choices: [{ title: "Now" }], allow_user_choices: true };
      const { id } = await admin().call(posts.create, { content_type: "event", title: "Fair", unit: 1, event, poll });
      await admin().call(posts.update, { id, event: { timezone: nothing } });
      expect((await admin().call(posts.get, { id })).event?.timezone).toBe("UTC");
      const choice = (await admin().call(posts.get, { id })).poll?.choices[0]?.id;
      const { choices } = await admin().call(posts.vote, { id, choices: [choice!], title: nothing });
      expect(choices.map(({ title, votes }) => [title, votes])).toEqual([["Now", 1]]);
    },
  );

  it("users.import: the user types", async () => {
    const row = {
      first_name: "Ann",
      last_name: "Lee",
      email: "ann.lee@example.com",
      unit: "HARBOUR",
      user_types: null,
    };
    const { results } = await admin().call(users.import, { rows: [row] });
    const named = results.map(({ issues = [] }) => issues.filter(({ field }) => field.startsWith("user_types")));
    expect(named).toEqual([[]]);
  });
});
