import { type RawBuilder, sql } from "kysely";
import type { Schema } from "../../store/schema/schema.ts";
import { accountOfUser } from "../pipeline/rate-limits.ts";

export interface ExportSection {
  readonly name: string;
  rows(user: number): RawBuilder<unknown>;
  /** Columns that identify a row among these; they give the order. */
  readonly key: readonly string[];
  /** Columns with secrets, hashes, search keys, or data of others. */
  readonly hidden?: readonly string[];
  readonly json?: readonly string[];
  /** Maximum number of rows on a page, where rows are large. */
  readonly portion?: number;
  /** Exported to the user only, because others may not see these rows. */
  readonly isPrivate?: true;
}

type Options = Omit<ExportSection, "name" | "rows">;

/** Returns a section with the rows of a table whose `column` is the user. */
const rowsOf = (name: string, table: keyof Schema, column: string, options: Options): ExportSection => ({
  name,
  rows: (user) => sql`select * from ${sql.table(table)} where ${sql.ref(column)} = ${user}`,
  ...options,
});

const byId = { key: ["id"] } as const;

/** Returns a section that says when the user created things, which others may have changed and hidden since. */
const createdBy = (name: string, table: "groups" | "webhooks"): ExportSection => ({
  name,
  rows: (user) => sql`select id, created_at from ${sql.table(table)} where author_id = ${user}`,
  ...byId,
});

const isPrivate = true;
const largeRows = 20;
/** A chunk of a file has 255 KiB. */
const fileChunks = 4;

const profileSections: readonly ExportSection[] = [
  rowsOf("profile", "users", "id", {
    ...byId,
    hidden: ["password_hash", "token_version", "name_key", "email_key", "birthday_key"],
  }),
  {
    name: "memberships",
    rows: (user) => sql`select m.*, n.name as unit_name from memberships as m
      join units as n on n.id = m.unit_id where m.user_id = ${user}`,
    ...byId,
  },
  {
    name: "user_types",
    rows: (user) => sql`select mt.*, t.name from membership_user_types as mt
      join memberships as m on m.id = mt.membership_id join user_types as t on t.id = mt.user_type_id
      where m.user_id = ${user}`,
    key: ["membership_id", "user_type_id"],
  },
  {
    name: "groups",
    rows: (user) => sql`select gm.*, g.name as group_name from group_members as gm
      join groups as g on g.id = gm.group_id where gm.user_id = ${user}`,
    key: ["group_id"],
  },
  createdBy("created_groups", "groups"),
];

const eventsOf = (user: number, personal: 0 | 1) => sql`select e.* from audiences as a
  join events as e on e.audience_id = a.id where a.author_id = ${user} and a.personal = ${personal}`;
const eventOptions = { ...byId, hidden: ["title_key"], json: ["recurrence"], portion: largeRows };

const contentSections: readonly ExportSection[] = [
  {
    name: "posts",
    rows: (user) =>
      sql`select p.* from audiences as a join posts as p on p.audience_id = a.id where a.author_id = ${user}`,
    ...byId,
    hidden: ["title_key"],
    json: ["event"],
    portion: largeRows,
  },
  rowsOf("comments", "comments", "author_id", byId),
  rowsOf("post_marks", "post_marks", "user_id", { key: ["post_id"], isPrivate }),
  {
    name: "mentions",
    rows: (user) => sql`select post_id, coalesce(comment_id, 0) as comment_id, seen from post_mentions
      where user_id = ${user}`,
    key: ["post_id", "comment_id"],
    isPrivate,
  },
  {
    name: "votes",
    rows: (user) => sql`select v.*, c.title from poll_votes as v join poll_choices as c on c.id = v.choice_id
      where v.user_id = ${user}`,
    key: ["poll_id", "choice_id"],
    isPrivate,
  },
  { name: "events", rows: (user) => eventsOf(user, 0), ...eventOptions },
  { name: "personal_events", rows: (user) => eventsOf(user, 1), ...eventOptions, isPrivate },
  rowsOf("event_marks", "event_marks", "user_id", { key: ["event_id"], isPrivate }),
  rowsOf("shares", "audience_shares", "user_id", { key: ["audience_id"], isPrivate }),
  rowsOf("counters", "counter_marks", "user_id", { key: ["counter"], isPrivate }),
];

const conversationSections: readonly ExportSection[] = [
  {
    name: "conversations",
    rows: (user) => sql`select p.*, c.type, c.title from conversation_participants as p
      join conversations as c on c.id = p.conversation_id where p.user_id = ${user}`,
    key: ["conversation_id"],
    isPrivate,
  },
  rowsOf("messages", "messages", "author_id", { ...byId, json: ["meta"], isPrivate }),
  rowsOf("reactions", "message_reactions", "user_id", { key: ["message_id", "emoji"], isPrivate }),
];

const accessSections: readonly ExportSection[] = [
  rowsOf("sign_ins", "sessions", "user_id", { ...byId, hidden: ["key"], isPrivate }),
  rowsOf("tokens", "api_tokens", "user_id", { ...byId, hidden: ["token_hash"], json: ["scopes"] }),
  rowsOf("password_links", "password_tokens", "user_id", { key: ["kind"], hidden: ["token_hash"] }),
  rowsOf("second_factor", "two_factors", "user_id", { key: ["user_id"], hidden: ["secret", "last_step"] }),
  {
    name: "attempts",
    // Uploads have a row for each chunk; the files are exported.
    rows: (user) => sql`select * from rate_limit_events where account = ${accountOfUser(user)} and kind <> 'upload'`,
    ...byId,
    isPrivate,
  },
  rowsOf("changes_by", "audit_entries", "actor_id", { ...byId, json: ["fields"] }),
  {
    name: "changes_of",
    rows: (user) => sql`select * from audit_entries where (path = ${`/users/${user}`}
      or path >= ${`/users/${user}/`} and path < ${`/users/${user}0`}) and (actor_id is null or actor_id <> ${user})`,
    ...byId,
    hidden: ["address"],
    json: ["fields"],
  },
];

const deliverySections: readonly ExportSection[] = [
  createdBy("webhooks", "webhooks"),
  rowsOf("webhook_events", "webhook_events", "user_id", { ...byId, json: ["payload"], portion: largeRows }),
  rowsOf("webhook_logs", "webhook_logs", "user_id", {
    ...byId,
    hidden: ["uri", "error", "request_headers", "response"],
  }),
  rowsOf("mails", "mails", "user_id", { ...byId, hidden: ["lease_token", "last_error"], json: ["payload"] }),
];

const visibleFiles = (user: number) => sql`select * from files where owner = 'user' and owner_id = ${user}
  or owner = 'post' and owner_id in (select p.id from audiences as a
    join posts as p on p.audience_id = a.id where a.author_id = ${user})
  or owner = 'event' and owner_id in (select id from (${eventsOf(user, 0)}) as own)`;

const privateFiles = (user: number) => sql`select * from files
  where owner = 'message' and owner_id in (select id from messages where author_id = ${user})
  or owner = 'event' and owner_id in (select id from (${eventsOf(user, 1)}) as own)`;

const filesAs = (prefix: string, files: typeof visibleFiles, options: Pick<Options, "isPrivate">): ExportSection[] => [
  { name: `${prefix}files`, rows: files, ...byId, hidden: ["sha256"], ...options },
  {
    name: `${prefix}file_contents`,
    rows: (user) => sql`select f.id as file_id, f.name, c.number, c.bytes from (${files(user)}) as f
      join file_chunks as c on c.sha256 = f.sha256`,
    key: ["file_id", "number"],
    portion: fileChunks,
    ...options,
  },
];

export const exportSections: readonly ExportSection[] = [
  ...profileSections,
  ...contentSections,
  ...conversationSections,
  ...accessSections,
  ...deliverySections,
  ...filesAs("", visibleFiles, {}),
  ...filesAs("private_", privateFiles, { isPrivate }),
];
