import { describe, expect, it } from "vitest";
import type { ServiceError } from "../../src/contract/errors.ts";
import { posts } from "../../src/contract/posts.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { type Newsroom, useNewsroom } from "../support/newsroom.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

type Fields = Record<string, unknown> | ((newsroom: Newsroom) => Record<string, unknown>);
type Case = readonly [about: string, fields: Fields, wrong: string];

const choices = [{ title: "A" }, { title: "B" }];

/** Fields that are refused in a new post and in a change. */
const bad: readonly Case[] = [
  ["a title of 256 characters", { title: "x".repeat(256) }, "title"],
  ["a blank title", { title: " " }, "title"],
  ["a title that shows nothing", { title: "\u200b\u2060 \u{e0020}" }, "title"],
  ["no text as title", { title: 7 }, "title"],
  ["a body that is too long", { body: "x".repeat(100_001) }, "body"],
  ["NUL in a body", { body: "a\0b" }, "body"],
  ["half a surrogate pair", { body: "\ud800" }, "body"],
  ["an unknown field", { colour: "red" }, "colour"],
  ["an unknown field within", { visibility: { everybody: true } }, "visibility.everybody"],
  ["unknown units", { visibility: { units: [987654, 1, 987655] } }, "visibility.units"],
  ["unknown units with all below", { visibility: { units_falldown: [987654] } }, "visibility.units_falldown"],
  ["unknown user types", { visibility: { userTypes: [987654] } }, "visibility.userTypes"],
  ["a unit that is no ID", { visibility: { units: ["1"] } }, "visibility.units.0"],
  ["units that are null", { visibility: { units: null } }, "visibility.units"],
  ["sharing with nobody", { sharing: { shares: [987654] } }, "sharing.shares"],
  ["sharing with the deactivated", ({ ids }) => ({ sharing: { shares: [ids.deactivated] } }), "sharing.shares"],
  ["mentions of nobody", { mentions: [987654] }, "mentions"],
  ["mentions of the deactivated", ({ ids }) => ({ mentions: [ids.deactivated] }), "mentions"],
  ["a status that is no boolean", { publish: { status: "true" } }, "publish.status"],
  ["a time that no date has", { publish: { publish_on: -9_007_199_254_740_991 } }, "publish.publish_on"],
  ["a pin without end", { pinned: { until: 9_007_199_254_740_991 } }, "pinned.until"],
  ["a time that is text", { publish: { publish_on: "tomorrow" } }, "publish.publish_on"],
  ["an end before the beginning", { publish: { publish_on: 2e9, unpublish_on: 1.9e9 } }, "publish.unpublish_on"],
  ["an end at the beginning", { publish: { publish_on: 2e9, unpublish_on: 2e9 } }, "publish.unpublish_on"],
  ["a pin that is over", { pinned: { until: 1_000_000_000 } }, "pinned.until"],
  ["an event of what is none", { event: { location: "Here" } }, "event"],
  ["a poll without a question", { poll: { choices } }, "poll.question"],
  ["a poll with one choice", { poll: { question: "Q", choices: [{ title: "A" }] } }, "poll.choices"],
  ["a poll of an unknown type", { poll: { question: "Q", choices, type: "any" } }, "poll.type"],
  [
    "a poll with equal choices",
    { poll: { question: "Q", choices: [{ title: "A" }, { title: "a " }] } },
    "poll.choices",
  ],
  [
    "choices of another poll",
    { poll: { question: "Q", choices: [{ id: 987654, title: "A" }, ...choices] } },
    "poll.choices",
  ],
  [
    "a poll with too many choices",
    { poll: { question: "Q", choices: Array(101).fill({ title: "A" }) } },
    "poll.choices",
  ],
  ["a blank choice", { poll: { question: "Q", choices: [{ title: " " }, ...choices] } }, "poll.choices.0.title"],
];

describeOnOneDatabase("posts that are refused", (environment) => {
  const newsroom = useNewsroom(environment);
  const fieldsOf = (fields: Fields) => (typeof fields === "function" ? fields(newsroom()) : fields);
  const create = (fields: object) =>
    newsroom().actors.administrator.call(posts.create, { content_type: "news", title: "News", ...fields } as never);

  it.each(bad)("posts.create and posts.update: %s", async (_, fields, wrong) => {
    expect(await wrongFields(create(fieldsOf(fields)))).toEqual([wrong]);
    const { id } = await create({});
    const change = { id, ...fieldsOf(fields) } as never;
    expect(await wrongFields(newsroom().actors.administrator.call(posts.update, change))).toEqual([wrong]);
  });

  it.each([
    ["no kind", { content_type: undefined }, "content_type"],
    ["an unknown kind", { content_type: "rumour" }, "content_type"],
    ["no title", { title: undefined }, "title"],
    ["an unknown unit", { unit: 987654 }, "unit"],
    ["an unknown group", { content_type: "debate", group: 987654 }, "group"],
    ["news in a group", { group: 987654 }, "group"],
    ["an event without one", { content_type: "event" }, "event"],
    ["an event without a start", { content_type: "event", event: { location: "Here" } }, "event.datetime_start"],
    ["an event that is null", { content_type: "event", event: null }, "event"],
    ["a path as the name of a file", { files: [{ type: "upload", name: "../x.txt", data: "QQ==" }] }, "files.0.name"],
    ["broken base64", { files: [{ type: "upload", name: "x.txt", data: "!" }] }, "files.0.data"],
  ])("create: %s", async (_, fields, wrong) => {
    expect(await wrongFields(create(fields))).toEqual([wrong]);
  });

  it("posts.create refuses units for a post in a group", async () => {
    const { actors, addGroup, ids, units } = newsroom();
    const group = await addGroup([ids.member]);
    const visibility = { units: [units.harbour] };
    const debate = { content_type: "debate" as const, title: "Debate", group };
    expect(await wrongFields(actors.member.call(posts.create, { ...debate, visibility }))).toEqual(["visibility"]);
    const { id } = await actors.member.call(posts.create, debate);
    expect(await wrongFields(actors.member.call(posts.update, { id, visibility }))).toEqual(["visibility"]);
  });

  it("posts.create names every issue of an event's rule, also without a start", async () => {
    const event = (fields: object) => wrongFields(create({ content_type: "event", event: fields }));
    const recurrence = { freq: "weekly", bymonthday: 3, until: "2026-12-05", count: 2, bysetpos: 1 };
    const contradictions = ["event.recurrence.bymonthday", "event.recurrence.until"];
    expect(await event({ datetime_start: "2026-12-10T10:00", end_date: "2026-01-01", recurrence })).toEqual([
      "event.end_date",
      ...contradictions,
    ]);
    expect(await event({ recurrence })).toEqual(["event.datetime_start", ...contradictions]);
    const positions = { freq: "daily", bysetpos: 1, until: "2026-12-05" };
    expect(await event({ datetime_start: "2026-12-10T10:00", recurrence: positions })).toEqual([
      "event.recurrence.bysetpos",
      "event.recurrence.until",
    ]);
    const never = { freq: "yearly", bymonth: 2, bymonthday: 30 };
    expect(await event({ recurrence: never })).toEqual(["event.datetime_start", "event.recurrence"]);
    expect(await event({ repeat_rules: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" })).toEqual([
      "event.datetime_start",
      "event.repeat_rules",
    ]);
  });

  it("posts.create names every issue", async () => {
    const { fields } = await refusal(
      create({
        content_type: "event",
        unit: 987654,
        visibility: { units: [987654], units_falldown: [987655], userTypes: [987654] },
        sharing: { shares: [1, 987654] },
        mentions: [987654],
        publish: { publish_on: 2e9, unpublish_on: 1e9 },
        pinned: { until: 5 },
        poll: { choices: [] },
        event: { datetime_start: "2026-06-02T10:00", datetime_end: "2026-06-01T10:00" },
        files: [{ type: "upload", name: "x.txt", data: "!" }],
      }),
    );
    expect(fields).toEqual({
      unit: ["is not an existing unit: 987654"],
      "visibility.units": ["contains units that do not exist: 987654"],
      "visibility.units_falldown": ["contains units that do not exist: 987655"],
      "visibility.userTypes": ["contains user types that do not exist: 987654"],
      "sharing.shares": ["contains users that do not exist or are deactivated: 987654"],
      mentions: ["contains users that do not exist or are deactivated: 987654"],
      "publish.unpublish_on": ["must be after the post is published"],
      "pinned.until": ["must be in the future"],
      "poll.question": ["is required"],
      "poll.choices": ["must have at least 2 items, unless readers can add choices"],
      "event.datetime_end": ["must not be before datetime_start"],
      "files.0.data": [expect.any(String)],
    });
  });

  it("posts.create: what is missing has the code required", async () => {
    const missing = create({ content_type: "event", event: { location: "Here" }, poll: { choices } });
    expect(await missing.catch(({ issues }: ServiceError) => issues)).toEqual([
      { field: "event.datetime_start", code: "required" },
      { field: "poll.question", code: "required" },
    ]);
  });

  it("posts.update does not check references again that the post has already", async () => {
    const { actors, addUser, write, instance, units } = newsroom();
    const { id: user } = await addUser();
    const { id } = await write({ sharing: { shares: [user] }, mentions: [user] });
    await instance.database.write(async (tx) => {
      await tx.updateTable("users").set({ active: 0 }).where("id", "=", user).execute();
    });
    const same = { id, sharing: { shares: [user] }, mentions: [user], visibility: { units_falldown: [units.north] } };
    expect(await codeOf(actors.administrator.call(posts.update, same))).toBe("ok");
  });

  describe("who may write for whom", () => {
    const writes = (actor: "editor" | "planner", fields: object) =>
      codeOf(newsroom()[actor].call(posts.create, { content_type: "news", title: "News", ...fields } as never));

    it("posts.create: news need the ability news in the owning unit and in every given unit", async () => {
      const { units } = newsroom();
      expect(await writes("editor", {})).toBe("ok");
      expect(await writes("editor", { unit: units.harbour })).toBe("ok");
      expect(await writes("editor", { visibility: { units: [units.harbour], units_falldown: [units.yard] } })).toBe(
        "ok",
      );
      expect(await writes("editor", { unit: units.south })).toBe("forbidden");
      expect(await writes("editor", { visibility: { units: [units.harbour, units.south] } })).toBe("forbidden");
      expect(await writes("editor", { visibility: { units_falldown: [units.root] } })).toBe("forbidden");
      expect(await writes("editor", { visibility: { all_units: true } })).toBe("forbidden");
      expect(await writes("planner", {})).toBe("forbidden");
    });

    it("posts.create: event posts need the ability calendar in the same units", async () => {
      const { units } = newsroom();
      const event = { content_type: "event", event: { datetime_start: "2026-06-01T10:00" } };
      expect(await writes("planner", event)).toBe("ok");
      expect(await writes("planner", { ...event, visibility: { units: [units.south] } })).toBe("forbidden");
      expect(await writes("planner", { ...event, visibility: { all_units: true } })).toBe("forbidden");
      expect(await writes("editor", event)).toBe("forbidden");
    });

    it("posts.create: debates may be in the author's units, in others with the ability news", async () => {
      const { units } = newsroom();
      const debate = { content_type: "debate" };
      expect(await writes("planner", debate)).toBe("ok");
      expect(await writes("planner", { ...debate, visibility: { units: [units.north] } })).toBe("ok");
      expect(await writes("planner", { ...debate, visibility: { units_falldown: [units.north] } })).toBe("forbidden");
      expect(await writes("planner", { ...debate, visibility: { units: [units.harbour] } })).toBe("forbidden");
      const elsewhere = { ...debate, unit: units.harbour, visibility: { units: [units.north] } };
      expect(await writes("planner", elsewhere)).toBe("forbidden");
      expect(await writes("editor", { ...debate, visibility: { units_falldown: [units.north] } })).toBe("ok");
    });

    it("posts.update: units may stay, new ones need the ability", async () => {
      const { editor, write, units } = newsroom();
      const { id } = await write({ unit: units.north, visibility: { units: [units.north, units.south] } });
      const change = (visibility: object) => codeOf(editor.call(posts.update, { id, title: "Changed", visibility }));
      expect(await change({ units: [units.south, units.harbour] })).toBe("ok");
      expect(await change({ units: [units.harbour] })).toBe("ok");
      expect(await change({ units: [units.harbour, units.south] })).toBe("forbidden");
      expect(await change({ all_units: true })).toBe("forbidden");
    });

    it("posts.update: adding the units below a unit needs the ability", async () => {
      const { editor, write, units } = newsroom();
      const { id } = await write({ unit: units.north, visibility: { units: [units.root] } });
      const below = { id, visibility: { units: [], units_falldown: [units.root] } };
      expect(await codeOf(editor.call(posts.update, below))).toBe("forbidden");
    });
  });

  describe("who may edit", () => {
    it("posts.update is for the author and users with the ability in the owning unit", async () => {
      const { editor, planner, actors, write, units } = newsroom();
      const event = { content_type: "event" as const, event: { datetime_start: "2026-06-01T10:00" } };
      const home = { unit: units.harbour, visibility: { all_units: true } };
      const [news, dates] = [await write(home), await write({ ...home, ...event })];
      const asks = (actor: typeof editor, id: number) => codeOf(actor.call(posts.update, { id, important: true }));
      expect([await asks(editor, news.id), await asks(planner, news.id)]).toEqual(["ok", "forbidden"]);
      expect([await asks(editor, dates.id), await asks(planner, dates.id)]).toEqual(["forbidden", "ok"]);
      const elsewhere = await write({ unit: units.south, visibility: { all_units: true } });
      expect(await asks(editor, elsewhere.id)).toBe("forbidden");
      const own = await actors.member.call(posts.create, { content_type: "debate", title: "Mine" });
      expect([await asks(actors.member, own.id), await asks(editor, own.id)]).toEqual(["ok", "ok"]);
      const hidden = { unit: units.harbour, visibility: { units: [] } };
      for (const [actor, { id }] of [
        [editor, await write(hidden)],
        [planner, await write({ ...hidden, ...event })],
      ] as const) {
        const { data } = await actor.call(posts.list, { limit: 500 });
        expect(data.map((post) => post.id)).toContain(id);
      }
      for (const [actor, id, edit] of [
        [editor, news.id, true],
        [planner, news.id, false],
        [planner, dates.id, true],
      ] as const) {
        expect((await actor.call(posts.get, { id })).permissions).toEqual({ edit, delete: edit });
      }
    });
  });
});
