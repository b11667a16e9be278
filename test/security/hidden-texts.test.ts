import { beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { type Field, fieldsOf } from "../../src/contract/field-spec.ts";
import type { Content } from "../../src/contract/file-schemas.ts";
import { groups } from "../../src/contract/groups.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { useWorld, type World } from "../support/actors.ts";
import { upload } from "../support/attachments.ts";
import { sqliteLocal } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";

const operations = (await allOperations()).filter(({ method, access }) => method === "GET" && access !== "public");
const readers = ["administrator", "manager", "member", "outsider"] as const;

/** Words that are in the texts of one thing only, and who may read it. */
const marks = {
  marknews: ["administrator", "manager", "member"],
  markdraft: ["administrator"],
  markboard: ["administrator", "member"],
  markunit: ["administrator", "member"],
  markown: ["member"],
  marktalk: ["member"],
  marktoken: ["administrator", "manager", "member"],
  markmail: ["administrator", "manager"],
  markhook: ["administrator"],
} satisfies Record<string, readonly (typeof readers)[number][]>;

const file = (mark: string) => [upload(`${mark}.txt`, mark)];

async function write({ actors: { administrator, member }, ids, units, addUser }: World): Promise<void> {
  const publish = async (title: string, fields: object) => {
    const poll = { question: title, choices: [{ title }, { title: `Not ${title}` }] };
    const post = { content_type: "news" as const, title, body: title, poll, files: file(title), ...fields };
    const { id } = await administrator.call(posts.create, post);
    const { id: parent_id } = await administrator.call(posts.commentAdd, { id, body: title });
    await administrator.call(posts.commentAdd, { id, body: title, parent_id });
  };
  await publish("marknews", { unit: units.north });
  await publish("markdraft", { unit: units.north, publish: { status: false } });
  const board = { name: "markboard", description: "markboard", privacy: "private" as const };
  const { id: group } = await administrator.call(groups.create, board);
  await administrator.call(groups.memberAdd, { id: group, user: ids.member });
  await publish("markboard", { content_type: "debate", group, unit: units.north });
  const event = (title: string) => {
    const texts = { title, body: title, location: title, uid: title, files: file(title) };
    return { ...texts, start: 4_000_000_000, end: 4_000_003_600 };
  };
  await administrator.call(events.create, { ...event("markunit"), type: "unit", units: [units.harbour] });
  await member.call(events.create, { ...event("markown"), type: "user" });
  const { id: third } = await addUser();
  const first = { recipients: [ids.colleague, third], message: "marktalk", files: file("marktalk") };
  const { conversationId: id } = await member.call(conversations.create, first);
  await member.call(conversations.update, { id, title: "marktalk" });
  await member.call(tokens.create, { name: "marktoken", scopes: ["read"] });
  await administrator.call(users.update, { id: ids.colleague, email: "markmail@example.com", phone: "markmail" });
  await administrator.call(webhooks.create, { name: "markhook", uri: "https://markhook.example/" });
}

/** IDs that things of all kinds have in the world. */
const someIds = Array.from({ length: 7 }, (_, at) => at + 1);

/** Values of a field: IDs, the beginning of all marks, and what the contract lists. */
function valuesOf({ kind, values, items, format, name }: Field): unknown[] {
  if (values) return [...values];
  if (items) return valuesOf(items).map((value) => [value]);
  if (kind === "boolean") return [true, false];
  if (format === "unix-time") return [1, 5_000_000_000];
  if (kind === "integer") return name === "wait" ? [0] : someIds;
  return ["mark", "markmail@example.com"];
}

/** Inputs with every combination of the required fields, and beside it at most one of the others. */
function inputsOf(op: AnyOperation): object[] {
  const fields = fieldsOf(op);
  const required = fields.filter((field) => field.required);
  const bases = required.reduce<object[]>(
    (some, field) => some.flatMap((base) => valuesOf(field).map((value) => ({ ...base, [field.name]: value }))),
    [{}],
  );
  const others = fields.filter((field) => !field.required && field.name !== "cursor");
  return bases.flatMap((base) => [
    base,
    ...others.flatMap((field) => valuesOf(field).map((value) => ({ ...base, [field.name]: value }))),
  ]);
}

/** Returns all that an operation says, without what the caller said, on all pages. */
async function answersOf(caller: Caller, op: AnyOperation, input: object): Promise<string> {
  let said = "";
  for (let cursor: unknown, page = 0; page < 30; page++) {
    const asked = cursor ? { ...input, cursor } : input;
    const result = await outcome(caller.call(op, asked as never));
    said += JSON.stringify(result);
    if (!("answer" in result)) break;
    if (op.bytes) for await (const bytes of (result.answer as Content).read()) said += Buffer.from(bytes).toString();
    cursor = (result.answer as { meta?: { next_cursor?: unknown } } | undefined)?.meta?.next_cursor;
    if (!cursor) break;
  }
  return said;
}

describe("texts of hidden things", () => {
  const world = useWorld(sqliteLocal);
  beforeAll(() => write(world()));

  it.each(readers)(
    "All that any reading operation shows to the %s are texts of things that they may read",
    async (reader) => {
      const seen = new Map<string, Set<string>>();
      for (const op of operations) {
        for (const input of inputsOf(op)) {
          const said = await answersOf(world().actors[reader], op, input);
          const given = JSON.stringify(input);
          for (const [mark] of said.matchAll(/mark(news|draft|board|unit|own|talk|token|mail|hook)/g))
            if (!given.includes(mark)) seen.set(mark, (seen.get(mark) ?? new Set()).add(op.name));
        }
      }
      const allowed = Object.entries(marks).flatMap(([mark, who]) => ((who as string[]).includes(reader) ? mark : []));
      const leaks = [...seen].filter(([mark]) => !allowed.includes(mark)).map(([mark, ops]) => [mark, ...ops]);
      expect(leaks).toEqual([]);
      expect([...seen.keys()].sort()).toEqual(allowed.sort());
    },
  );
});
