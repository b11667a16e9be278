import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { defaults } from "../../src/contract/settings.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { listOutbox, removeExpired } from "../../src/delivery/delivery.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { newEngine } from "../support/engine.ts";
import { sqliteLocal } from "../support/instance.ts";

/** Indexes that have few rows of a large table. */
const partial = /INDEX (deliveries_waiting|mails_open|users_admin)$/;

/** Tables that grow without limit. */
const large = [
  ...[
    "audit_entries",
    "audiences",
    "audience_shares",
    "audience_units",
    "comments",
    "conversation_participants",
    "conversations",
  ],
  ...["deliveries", "event_dates", "event_marks", "event_places", "events", "files", "group_members", "mails"],
  ...["memberships", "message_reactions", "messages", "poll_votes", "post_marks", "post_mentions", "post_places"],
  ...["posts", "sessions", "user_words", "users", "webhook_events", "webhook_logs"],
];

describe("statements on SQLite", () => {
  const world = useWorld(sqliteLocal);

  beforeAll(async () => {
    const { administrator, member } = world().actors;
    await administrator.call(webhooks.create, { name: "ci", uri: "http://receiver.invalid/" });
    await member.call(conversations.create, { recipients: [world().ids.colleague], message: "Hello" });
    await member.call(events.create, { title: "Dentist", type: "user", start: 2e9, end: 2e9 + 60 });
  });

  /** Returns the steps of the plans of the statements that are prepared by some work. */
  async function stepsOf(work: () => Promise<unknown>) {
    const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
    try {
      await work();
      const texts = [...new Set(prepare.mock.calls.map(([text]) => text))].filter(
        (text) => !/^\s*(pragma|explain)/i.test(text),
      );
      if (texts.length === 0) throw new Error("No statement was prepared: others have run all of these before.");
      prepare.mockRestore();
      const database = new DatabaseSync(world().instance.target, { readOnly: true });
      const plans = texts.flatMap((text) => {
        // Values change no plan here; there must only be as many.
        const values = Array.from(text.match(/\?/g) ?? [], () => 1);
        const plan = database.prepare(`explain query plan ${text}`).all(...values);
        return plan.map(({ detail }) => ({ text, detail: String(detail) }));
      });
      database.close();
      return plans;
    } finally {
      prepare.mockRestore();
    }
  }

  /** Returns the scans of large tables in these plans. */
  async function scansOf(work: () => Promise<unknown>): Promise<string[]> {
    return (await stepsOf(work)).flatMap(({ text, detail }) => {
      if (partial.test(detail)) return [];
      const alias = /^SCAN (\w+)/.exec(detail)?.[1];
      const table = new RegExp(String.raw`(?:from|join)\s+"?(\w+)"?\s+(?:as\s+)?"?${alias}\b`).exec(text)?.[1];
      return large.some((name) => name === alias || name === table) ? [`${detail}: ${text}`] : [];
    });
  }

  it("an export of a user's data reads no large table as a whole", async () => {
    const { actors, ids } = world();
    const all = async () => {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { meta } = await actors.member.call(users.exportData, { id: ids.member, ...(cursor && { cursor }) });
        cursor = meta.next_cursor;
      }
    };
    expect(await scansOf(all)).toEqual([]);
  });

  it("the state of the outbox, its list and the removal of old mails read no large table as a whole", async () => {
    const { instance } = world();
    const engine = newEngine(instance);
    expect(await scansOf(() => engine.waiting())).toEqual([]);
    expect(await scansOf(() => listOutbox(instance.database, 10))).toEqual([]);
    const moment = { settings: defaults, now: instance.now() };
    const removal = await scansOf(() => removeExpired(instance.database, moment));
    expect(removal.filter((scan) => scan.includes("mails"))).toEqual([]);
  });

  it("the audit log of an operation, of a group of them, and of a path is read by an index", async () => {
    const { administrator } = world().actors;
    // Together, because a statement is prepared once.
    const steps = await stepsOf(async () => {
      for (const operation of ["users.update", "users.*"]) await administrator.call(audit.list, { operation });
    });
    const details = steps.filter(({ text }) => text.includes("audit_entries")).map(({ detail }) => detail);
    expect(details).toContainEqual(expect.stringContaining("INDEX audit_entries_operation"));
    expect(details.filter((detail) => /^SCAN|ORDER BY/.test(detail))).toEqual([]);
    const ofActor = await stepsOf(() => administrator.call(audit.list, { actor: 1, operation: "users.*" }));
    const searches = ofActor.filter(({ detail }) => detail.includes("audit_entries_"));
    expect(searches.map(({ detail }) => detail)).toEqual([expect.stringContaining("INDEX audit_entries_actor")]);
    for (const filter of [{}, { actor: 1 }, { operation: "users.*" }]) {
      const plan = await stepsOf(() => administrator.call(audit.list, { path: "/users/2", ...filter }));
      const indexes = plan.flatMap(({ detail }) => /audit_entries_\w+/.exec(detail)?.[0] ?? []);
      expect(new Set(indexes)).toEqual(new Set(["audit_entries_path"]));
    }
  });

  it("a further page of the tree and of groups by name is searched from its key, not from the first item", async () => {
    const { administrator } = world().actors;
    for (const name of ["Choir", "Chess"]) await administrator.call(groups.create, { name });
    const lists = [
      (cursor: object) => administrator.call(units.tree, { limit: 1, ...cursor }),
      (cursor: object) => administrator.call(groups.list, { limit: 1, name: "Ch", ...cursor }),
    ];
    for (const list of lists) {
      const { meta } = await list({});
      const steps = await stepsOf(() => list({ cursor: meta.next_cursor }));
      // SQLite starts the search at the first of several.
      const lowerBounds = steps.flatMap(({ text }) => text.match(/>=? \(?\?/g) ?? []);
      expect(new Set(lowerBounds)).toEqual(new Set(["> (?"]));
    }
  });

  it("posts.commentList reads no deleted comments and replies", async () => {
    const { administrator } = world().actors;
    const { id } = await administrator.call(posts.create, { content_type: "debate", title: "Soup" });
    const comment = await administrator.call(posts.commentAdd, { id, body: "Yes" });
    for (const [parent, index] of [
      [{}, "comments_shown"],
      [{ parent_id: comment.id }, "comments_replies"],
    ] as const) {
      const steps = await stepsOf(() => administrator.call(posts.commentList, { id, ...parent }));
      expect(steps.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(`INDEX ${index} `));
    }
  });

  it("counting and listing the readers of a post reads the types of each user, not the users of each type", async () => {
    const { actors, types } = world();
    const { administrator } = actors;
    const audience = { units_falldown: [1], userTypes: [types.employee] };
    const post = { content_type: "news", title: "Soup", body: "", unit: 1, confirm: { enabled: true } } as const;
    let id = 0;
    const counting = await stepsOf(async () => {
      id = (await administrator.call(posts.create, { ...post, visibility: audience })).id;
    });
    const listing = await stepsOf(() => administrator.call(posts.readers, { id, status: "unconfirmed" }));
    const people = (steps: typeof counting) =>
      new Set(
        steps
          .filter(({ text }) => text.includes("audience_shares where"))
          .flatMap(({ detail }) => (/^\w+ (h|m|mt|u|users)\b/.test(detail) ? detail : [])),
      );
    const found = [
      "SEARCH users USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
      "SEARCH m USING COVERING INDEX memberships_unit (unit_id=? AND user_id>? AND user_id<?)",
      "SEARCH h USING COVERING INDEX sqlite_autoindex_memberships_1 (user_id=?)",
      "SEARCH mt USING PRIMARY KEY (membership_id=?)",
      "SEARCH u USING INTEGER PRIMARY KEY (rowid=?)",
    ];
    expect(people(counting)).toEqual(new Set(found));
    const marks = "SEARCH m USING PRIMARY KEY (post_id=? AND user_id=?) LEFT-JOIN";
    expect(people(listing)).toEqual(new Set([...found, marks]));
  });

  it("the only administrator is found among administrators, not among all users of the provider local", async () => {
    const { administrator } = world().actors;
    const steps = await stepsOf(() => administrator.call(users.list, {}));
    const found = steps.filter(({ text }) => /"admin" = 1/.test(text)).map(({ detail }) => detail);
    expect(found).toEqual(["SCAN users USING INDEX users_admin"]);
  });

  it("users.list by ability in a unit reads the types of each user, not the users of each type", async () => {
    const { actors, instance, types, units: unit } = world();
    const at = { created_at: 0, updated_at: 0 };
    const rows = Array.from({ length: 5001 }, (_, n) => ({
      id: 100_000 + n,
      first_name: "Many",
      last_name: "M",
      ...at,
    }));
    await instance.database.write(async (tx) => {
      await insertRows(tx, "users", rows);
      const memberships = rows.map(({ id }) => ({ id, user_id: id, unit_id: unit.yard }));
      await insertRows(tx, "memberships", memberships);
      const held = rows.map(({ id }) => ({ membership_id: id, user_type_id: types.editor }));
      await insertRows(tx, "membership_user_types", held);
    });
    const steps = await stepsOf(() => actors.member.call(users.list, { ability_unit: unit.yard, limit: 1 }));
    const ofEach = steps.flatMap(({ text, detail }) => (/exists .* "mt"/.test(text) ? detail : []));
    expect(ofEach).toContain("SEARCH mt USING PRIMARY KEY (membership_id=?)");
    await instance.database.write((tx) => tx.deleteFrom("users").where("id", ">=", 100_000).execute());
  });

  it("deleting a user reads no large table as a whole", async () => {
    const { actors, ids } = world();
    expect(await scansOf(() => actors.administrator.call(users.delete, { id: ids.member }))).toEqual([]);
  });
});
