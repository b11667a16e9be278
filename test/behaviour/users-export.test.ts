import { expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { password } from "../support/actors.ts";
import { images, upload } from "../support/attachments.ts";
import { fillScene } from "../support/full-scene.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";
import { useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

/** Columns that refer to a user, and the section of the export that has their rows. */
const exported: Record<string, string> = {
  "api_tokens.user_id": "tokens",
  "audience_shares.user_id": "shares",
  "audiences.author_id": "posts",
  "audit_entries.actor_id": "changes_by",
  "comments.author_id": "comments",
  "conversation_participants.user_id": "conversations",
  "counter_marks.user_id": "counters",
  "event_marks.user_id": "event_marks",
  "group_members.user_id": "groups",
  "groups.author_id": "created_groups",
  "mails.user_id": "mails",
  "memberships.user_id": "memberships",
  "message_reactions.user_id": "reactions",
  "messages.author_id": "messages",
  "password_tokens.user_id": "password_links",
  "poll_votes.user_id": "votes",
  "post_marks.user_id": "post_marks",
  "post_mentions.user_id": "mentions",
  "sessions.user_id": "sign_ins",
  "two_factors.user_id": "second_factor",
  "webhook_events.user_id": "webhook_events",
  "webhook_logs.user_id": "webhook_logs",
  "webhooks.author_id": "webhooks",
};
/** Columns that refer to a user whose rows are not exported, and why. */
const leftOut: Record<string, string> = {
  "user_words.user_id": "search words are derived from the profile",
  "recovery_codes.user_id": "only hashes are kept",
  "idempotency_keys.actor_id": "copies of responses, for a day",
};
/** Columns that must not leave the database. */
const secrets = ["password_hash", "token_hash", "code_hash", "secret", "previous_secrets", "lease_token", "token_key"];

type Item = { section: string; record: Record<string, unknown> };

async function exportOf(caller: Caller, id: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, meta } = await caller.call(users.exportData, { id, cursor });
    items.push(...data);
    if (meta.next_cursor === null) return items;
    cursor = meta.next_cursor;
  }
}

describeOnOneDatabase("users.exportData", (environment) => {
  const scene = useScene(environment);
  let filled: Promise<unknown> | undefined;
  const full = async () => {
    const here = await scene();
    filled ??= fillScene(here);
    await filled;
    return here;
  };

  it("exports the rows of every column that refers to a user, or has a reason not to", async () => {
    const { instance, ids } = await full();
    // Acting as a user is a sign-in.
    const callers = new Map<number, Caller>();
    for (const id of [ids.administrator, ids.manager, ids.member]) callers.set(id, await instance.as(id));
    const tables = await allRows(instance.database);
    const columns = Object.entries(tables).flatMap(([table, [row = {}]]) =>
      Object.keys(row).flatMap((column) => (/^(user|author|actor)_id$/.test(column) ? `${table}.${column}` : [])),
    );
    expect(columns.sort()).toEqual(Object.keys({ ...exported, ...leftOut }).sort());
    const missing: string[] = [];
    for (const [id, caller] of callers) {
      const items = await exportOf(caller, id);
      for (const [place, section] of Object.entries(exported)) {
        const [table = "", column = ""] = place.split(".");
        const kept = tables[table]?.filter((row) => row[column] === id).length ?? 0;
        const sections = place === "audiences.author_id" ? ["posts", "events", "personal_events"] : [section];
        const found = items.filter((item) => sections.includes(item.section)).length;
        // The start of each export is a row of its own.
        if (found !== kept && place !== "audit_entries.actor_id") missing.push(`${id}: ${place} ${found} of ${kept}`);
      }
      const own = items.filter(({ section, record }) => section === "changes_of" && record.actor_id === id);
      expect(own, "changes by the user are in changes_by").toEqual([]);
    }
    expect(missing).toEqual([]);
  });

  it("exports no secret and no message of others, but the content of files", async () => {
    const { instance, ids, actors } = await full();
    const recipients = [ids.colleague];
    const others = { recipients: [ids.member], message: "said to the member" };
    await (await instance.as(ids.colleague)).call(conversations.create, others);
    const bytes = Buffer.alloc(600_000, "long file ");
    const own = { recipients, message: "said by the member", files: [upload("own.txt", bytes)] };
    await actors.member.call(conversations.create, own);
    const { conversationId: group } = await actors.member.call(conversations.create, {
      recipients: [ids.colleague, ids.manager],
      message: "to a group",
    });
    await actors.member.call(conversations.update, { id: group, title: "Group" });
    await actors.member.call(users.avatarSet, { id: ids.member, files: [upload("me.png", images.png(4, 5))] });
    const items = await exportOf(actors.member, ids.member);
    const text = JSON.stringify(items);
    expect([text.includes("said by the member"), text.includes("said to the member")]).toEqual([true, false]);
    const hidden = Object.values(await allRows(instance.database)).flatMap((rows) =>
      rows.flatMap((row) => secrets.flatMap((column) => (typeof row[column] === "string" ? [row[column]] : []))),
    );
    expect(hidden.length).toBeGreaterThan(5);
    expect(hidden.filter((secret) => text.includes(secret))).toEqual([]);
    const columns = new Set(
      items.flatMap(({ section, record }) => Object.keys(record).map((column) => `${section}.${column}`)),
    );
    const ofOthers = ["changes_of.address", "mails.last_error", "webhook_logs.uri", "webhook_logs.response"];
    const searchKeysAndSecrets = /\.(key|secret|sha256|\w+_(key|hash|token|version|step))$/;
    expect([...columns].filter((column) => searchKeysAndSecrets.test(column) || ofOthers.includes(column))).toEqual([]);
    const isJson = (value: unknown) => typeof value === "string" && /^[[{]/.test(value);
    const unparsed = items.filter(({ record }) => Object.values(record).some(isJson));
    expect(unparsed, "JSON in a text").toEqual([]);
    const chunks = items.flatMap(({ section, record }) => (section.endsWith("file_contents") ? [record] : []));
    const content = (name: string) =>
      Buffer.concat(
        chunks.flatMap((chunk) => (chunk.name === name ? [Buffer.from(String(chunk.bytes), "base64")] : [])),
      );
    expect([content("own.txt").equals(bytes), content("me.png").equals(images.png(4, 5))]).toEqual([true, true]);
    const counted = await allRows(instance.database).then((tables) => tables.rate_limit_events ?? []);
    expect(counted.filter(({ kind }) => kind === "upload").length).toBeGreaterThan(2);
    const attempts = items.filter(({ section, record }) => section === "attempts" && record.kind === "upload");
    expect(attempts, "the chunks of the files are no attempts").toEqual([]);
  });

  it("exports only the time of creation of groups and webhooks, which others may have changed", async () => {
    const { ids, actors } = await full();
    const items = await exportOf(actors.administrator, ids.administrator);
    const made = items.filter(({ section }) => section === "created_groups" || section === "webhooks");
    expect(new Set(made.map(({ section }) => section)).size).toBe(2);
    expect(new Set(made.flatMap(({ record }) => Object.keys(record)))).toEqual(new Set(["id", "created_at"]));
  });

  it("exports the time when a post was first seen", async () => {
    const { instance, ids, actors, posts: scenePosts } = await full();
    const id = scenePosts.debate;
    const seenAt = async () => {
      await actors.member.call(posts.seen, { id });
      const items = await exportOf(actors.member, ids.member);
      return items.find(({ section, record }) => section === "post_marks" && record.post_id === id)?.record.seen_at;
    };
    const first = await seenAt();
    expect(first).toEqual(expect.any(Number));
    instance.wait(1);
    expect(await seenAt()).toBe(first);
  });

  it("omits for administrators what only the user can see", async () => {
    const { actors, ids } = await full();
    await actors.member.call(conversations.create, { recipients: [ids.colleague], message: "between us" });
    const day = { start: 0, end: 1, all_day: true, date: "2026-05-04" } as const;
    await actors.member.call(events.create, { title: "my own day", type: "user", ...day });
    const sectionsOf = async (caller: Caller) => {
      const items = await exportOf(caller, ids.member);
      return { text: JSON.stringify(items), names: new Set(items.map(({ section }) => section)) };
    };
    const own = await sectionsOf(actors.member);
    const seen = await sectionsOf(actors.administrator);
    expect(["between us", "my own day"].map((words) => [own.text.includes(words), seen.text.includes(words)])).toEqual([
      [true, false],
      [true, false],
    ]);
    const left =
      "personal_events conversations messages reactions post_marks votes mentions event_marks counters sign_ins";
    expect(left.split(" ").filter((name) => !own.names.has(name) || seen.names.has(name))).toEqual([]);
    expect([...seen.names]).toEqual(expect.arrayContaining(["profile", "posts", "changes_by", "files"]));
  });

  it("has each record of a section of several pages once, in order", async () => {
    const { instance, ids, actors } = await full();
    const id = ids.outsider;
    const change = {
      created_at: instance.now(),
      actor_id: 1,
      address: null,
      operation: "users.update",
      fields: "[]",
    } as const;
    const paths = Array.from({ length: 250 }, (_, n) => `/users/${id}${n % 2 ? "" : "/password"}`);
    await instance.database.write((tx) =>
      tx
        .insertInto("audit_entries")
        .values(paths.map((path) => ({ ...change, path })))
        .execute(),
    );
    const items = await exportOf(actors.administrator, id);
    const changes = items.flatMap(({ section, record }) => (section === "changes_of" ? [Number(record.id)] : []));
    expect(changes.length).toBeGreaterThanOrEqual(250);
    expect(changes).toEqual([...new Set(changes)].toSorted((a, b) => a - b));
    await instance.database.write((tx) => tx.deleteFrom("audit_entries").where("path", "in", paths).execute());
  });

  it("is in the audit log once, and is refused to API tokens and with the cursor of another export", async () => {
    const { instance, ids, actors } = await full();
    const path = `/users/${ids.colleague}/data`;
    const entries = async () => (await actors.administrator.call(audit.list, { path })).data;
    await actors.administrator.call(users.exportData, { id: ids.colleague }, { dryRun: true });
    expect(await entries(), "a dry run returns the data, too").toHaveLength(1);
    await instance.database.write((tx) => tx.deleteFrom("audit_entries").where("path", "=", path).execute());
    await exportOf(actors.administrator, ids.colleague);
    expect(await entries()).toMatchObject([{ operation: "users.exportData", actor: { id: 1 }, fields: [] }]);
    const { meta } = await actors.member.call(users.exportData, { id: ids.member });
    const foreign = { id: ids.colleague, cursor: meta.next_cursor ?? "" };
    expect(await wrongFields(actors.administrator.call(users.exportData, foreign))).toEqual(["cursor"]);
    const { token = "" } = await actors.administrator.call(tokens.create, { name: "export", scopes: ["write"] });
    const machine = instance.withToken(token);
    expect(await codeOf(machine.call(users.exportData, { id: ids.colleague }))).toBe("forbidden");
    expect(await entries()).toHaveLength(1);
  });

  it("is recorded and counted again when a cursor is used an hour later", async () => {
    const { instance, southerner: id, actors } = await full();
    instance.freeze();
    const path = `/users/${id}/data`;
    const entries = async () => (await actors.administrator.call(audit.list, { path })).data.length;
    const next = async (cursor?: string) => {
      const { meta } = await actors.administrator.call(users.exportData, { id, cursor });
      return meta.next_cursor ?? "";
    };
    const cursor = await next();
    instance.wait(3599);
    await next(cursor);
    expect(await entries()).toBe(1);
    instance.wait(1);
    const later = await next(cursor);
    expect(await entries()).toBe(2);
    await next(later);
    expect(await entries(), "the next page belongs to the same export").toBe(2);
    const counted = { kind: "data_export", account: "user:1", network: "" } as const;
    const expires_at = instance.now() + 3600;
    const others = Array.from({ length: 60 }, () => ({ ...counted, pending: 0 as const, expires_at }));
    await instance.database.write((tx) => tx.insertInto("rate_limit_events").values(others).execute());
    instance.wait(3599);
    expect(await codeOf(next(later))).toBe("ok");
    expect(await codeOf(next(cursor))).toBe("too_many_requests");
  });

  it("limits the number of exports of a user, apart from those of others", async () => {
    const { instance, ids, actors } = await full();
    instance.freeze();
    await actors.administrator.call(users.password, { id: ids.outsider, password });
    const outsider = await instance.as(ids.outsider);
    const begin = (caller: Caller, id: number) => codeOf(caller.call(users.exportData, { id }));
    for (let n = 0; n < 60; n += 1) expect(await begin(outsider, ids.outsider)).toBe("ok");
    const path = `/users/${ids.outsider}/data`;
    const entries = () =>
      instance.database.reader.selectFrom("audit_entries").select("id").where("path", "=", path).execute();
    const recorded = await entries();
    expect(await begin(outsider, ids.outsider)).toBe("too_many_requests");
    expect(await entries()).toHaveLength(recorded.length);
    await outsider.call(auth.twoFactorBegin, { password });
    expect(await begin(outsider, ids.outsider), "after a right password").toBe("too_many_requests");
    expect(await begin(await instance.as(ids.member), ids.member)).toBe("ok");
    instance.wait(3600);
    expect(await begin(outsider, ids.outsider)).toBe("ok");
  });
});
