import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { events } from "../../src/contract/events.ts";
import { useWorld, type World } from "../support/actors.ts";
import { upload } from "../support/attachments.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

const start = Date.parse("2027-03-26T09:00:00Z") / 1000;
const good = { title: "Meeting", type: "user", start, end: start + 3600 };
const once = (rule: object) => ({ recurrence: [{ freq: "daily", ...rule }] });
const film = (data: string, type = "youtube") => ({ files: [{ type, name: "Film", data }] });

/** Wrong inputs, with all fields that the error names. */
const wrong: readonly [about: string, fields: (world: World) => object, names: readonly string[]][] = [
  ["a title of 256 code points", () => ({ title: "𝄞".repeat(256) }), ["title"]],
  ["a blank title", () => ({ title: " " }), ["title"]],
  ["no title and no type", () => ({ title: undefined, type: undefined }), ["title", "type"]],
  ["a type that there is not", () => ({ type: "group" }), ["type"]],
  ["an unknown field", () => ({ colour: "red" }), ["colour"]],
  ["a prototype", () => JSON.parse('{"constructor": 1}'), ["constructor"]],
  ["end before start", () => ({ end: start - 1 }), ["end"]],
  ["neither start nor end", () => ({ start: undefined, end: undefined }), ["end", "start"]],
  ["start null", () => ({ start: null }), ["start"]],
  ["a time in milliseconds", () => ({ start: start * 1000, end: start * 1000 }), ["end", "start"]],
  ["half a second", () => ({ start: start + 0.5 }), ["start"]],
  ["a whole day without a date", () => ({ all_day: 1 }), ["date"]],
  ["a whole day with an empty date", () => ({ all_day: 1, date: "" }), ["date"]],
  ["30 February", () => ({ all_day: 1, date: "2027-02-30" }), ["date"]],
  ["29 February of another year", () => ({ all_day: true, date: "2027-02-29" }), ["date"]],
  ["a date with a time", () => ({ all_day: 1, date: "2027-02-28T00:00" }), ["date"]],
  ["a date without a whole day", () => ({ date: "2027-02-28" }), ["date"]],
  ["all_day 2", () => ({ all_day: 2 }), ["all_day"]],
  ["all_day as text", () => ({ all_day: "1" }), ["all_day"]],

  ["an unknown frequency", () => once({ freq: "hourly" }), ["recurrence.0.freq"]],
  ["no frequency", () => once({ freq: undefined }), ["recurrence.0.freq"]],
  ["until together with count", () => once({ until: "2028-01-01", count: 3 }), ["recurrence.0.until"]],
  ["until before the start", () => once({ until: "2027-03-25" }), ["recurrence.0.until"]],
  ["until on 30 February", () => once({ until: "2028-02-30" }), ["recurrence.0.until"]],
  ["until with a time", () => once({ until: "20280101T000000Z" }), ["recurrence.0.until"]],
  ["count 0", () => once({ count: 0 }), ["recurrence.0.count"]],
  ["count as text", () => once({ count: "3" }), ["recurrence.0.count"]],
  ["interval 0", () => once({ interval: 0 }), ["recurrence.0.interval"]],
  ["interval -1", () => once({ interval: -1 }), ["recurrence.0.interval"]],
  ["byday 8", () => once({ byday: "8" }), ["recurrence.0.byday"]],
  ["byday 8 as a number", () => once({ byday: 8 }), ["recurrence.0.byday"]],
  ["byday in a list", () => once({ byday: ["MO", "XX"] }), ["recurrence.0.byday.1"]],
  ["byday with an ordinal", () => once({ freq: "monthly", byday: "2MO" }), ["recurrence.0.byday"]],
  ["byday with a plus at its end", () => once({ byday: "MO+" }), ["recurrence.0.byday"]],
  ["byday in small letters", () => once({ byday: "mo" }), ["recurrence.0.byday"]],
  ["bymonthday 32", () => once({ bymonthday: "32" }), ["recurrence.0.bymonthday"]],
  ["bymonthday 32 as a number", () => once({ bymonthday: 32 }), ["recurrence.0.bymonthday"]],
  ["bymonthday -1", () => once({ bymonthday: "-1" }), ["recurrence.0.bymonthday"]],
  ["bymonthday 1.5", () => once({ bymonthday: 1.5 }), ["recurrence.0.bymonthday"]],
  ["bymonth 13", () => once({ bymonth: "13" }), ["recurrence.0.bymonth"]],
  ["bymonth 0", () => once({ bymonth: 0 }), ["recurrence.0.bymonth"]],
  ["bysetpos 6", () => once({ byday: "MO", bysetpos: "6" }), ["recurrence.0.bysetpos"]],
  ["bysetpos 0", () => once({ byday: "MO", bysetpos: 0 }), ["recurrence.0.bysetpos"]],
  ["bysetpos -2", () => once({ byday: "MO", bysetpos: "-2" }), ["recurrence.0.bysetpos"]],
  ["bysetpos without byday", () => once({ freq: "monthly", bysetpos: 1 }), ["recurrence.0.bysetpos"]],
  ["bymonthday by weeks", () => once({ freq: "weekly", bymonthday: 1 }), ["recurrence.0.bymonthday"]],
  [
    "a day of the month and a position, both by weeks",
    () => once({ freq: "weekly", bymonthday: "3", bysetpos: "1" }),
    ["recurrence.0.bymonthday", "recurrence.0.bysetpos"],
  ],
  ["a rule for 30 February", () => once({ freq: "yearly", bymonth: 2, bymonthday: 30 }), ["recurrence.0"]],
  ["the second of one day", () => once({ byday: "MO", bysetpos: 2 }), ["recurrence.0"]],
  ["no day before its end", () => once({ freq: "weekly", byday: "MO", until: "2027-03-28" }), ["recurrence.0"]],
  ["a part of another rule", () => once({ byyearday: 5 }), ["recurrence.0.byyearday"]],
  ["a rule that is text", () => ({ recurrence: ["FREQ=DAILY"] }), ["recurrence.0"]],
  ["one rule, not a list", () => ({ recurrence: { freq: "daily" } }), ["recurrence"]],
  ["21 rules", () => ({ recurrence: Array(21).fill({ freq: "daily" }) }), ["recurrence"]],
  [
    "the second and the third rule",
    () => ({
      recurrence: [{ freq: "daily" }, { freq: "daily", bysetpos: 1 }, { freq: "weekly", until: "2027-03-25" }],
    }),
    ["recurrence.1.bysetpos", "recurrence.2.until"],
  ],

  ["a script as link", () => ({ link: "javascript:alert(1)" }), ["link"]],
  ["data as link", () => ({ link: "data:text/html,<script>" }), ["link"]],
  ["a link without a protocol", () => ({ link: "example.com" }), ["link"]],
  ["a link with a space", () => ({ link: "https://example.com/a b" }), ["link"]],

  ["units of a personal event", ({ units }) => ({ units: [units.harbour] }), ["units"]],
  ["user types of a personal event", ({ types }) => ({ userTypes: [types.employee] }), ["userTypes"]],
  ["sharing with somebody deactivated", ({ ids }) => ({ shares: [ids.deactivated] }), ["shares"]],
  ["an ID as text", () => ({ shares: ["2"] }), ["shares.0"]],
  ["fileCount -1", () => ({ fileCount: -1 }), ["fileCount"]],

  ["a path as file name", () => ({ files: [{ ...upload("x", "x"), name: "../../etc/passwd" }] }), ["files.0.name"]],
  ["a path of Windows", () => ({ files: [{ ...upload("x", "x"), name: "C:\\x.txt" }] }), ["files.0.name"]],
  ["dots as file name", () => ({ files: [{ ...upload("x", "x"), name: ".." }] }), ["files.0.name"]],
  ["wrong magic bytes", () => ({ files: [upload("photo.png", "GIF89a not a picture")] }), ["files.0.data"]],
  ["broken base64", () => film("a===", "upload"), ["files.0.data"]],
  ["a video of another host", () => film("https://youtube.com.evil.example/watch?v=1"), ["files.0.data"]],
  ["a video of another kind", () => film("https://vimeo.com/1"), ["files.0.data"]],
  ["a file of no type", () => ({ files: [{ name: "x", data: "eA==" }] }), ["files.0.type"]],
  [
    "a wrong name and wrong contents of several files",
    () => ({
      files: [
        { type: "upload", name: "a/b", data: "!!" },
        { type: "nope", name: "c", data: "eA==" },
        upload("d.txt", "d"),
        { type: "youtube", name: "e", data: "http://evil.example" },
      ],
    }),
    ["files.0.data", "files.0.name", "files.1.type", "files.3.data"],
  ],
  [
    "rules that are wrong, and between them one that contradicts itself",
    () => ({
      recurrence: [{ freq: "nope" }, { freq: "daily", until: "2028-01-01", count: 3 }, { freq: "daily", interval: 0 }],
    }),
    ["recurrence.0.freq", "recurrence.1.until", "recurrence.2.interval"],
  ],
  [
    "a list that is too long, whose items are not checked",
    () => ({ files: Array.from({ length: 51 }, () => ({ type: "upload", name: "a", data: "!!" })) }),
    ["files"],
  ],
  [
    "everything at once, as far as the schema tells",
    () => ({ title: "", link: "x", fileCount: "1", ...once({ byday: "8", bymonth: 13 }), files: [{}] }),
    [
      "fileCount",
      "files.0.data",
      "files.0.name",
      "files.0.type",
      "link",
      "recurrence.0.byday",
      "recurrence.0.bymonth",
      "title",
    ],
  ],
  [
    "everything else at once",
    () => ({
      type: "chain",
      units: [987654],
      userTypes: [987655],
      shares: [987656],
      end: start - 1,
      recurrence: [{ freq: "daily", until: "2020-01-01" }],
      ...film("https://example.com/"),
    }),
    ["end", "files.0.data", "recurrence.0.until", "shares", "units", "userTypes"],
  ],
  [
    "without a start, and rules that contradict themselves",
    () => ({ start: undefined, ...once({ until: "2028-01-01", count: 3 }) }),
    ["recurrence.0.until", "start"],
  ],
  [
    "without a start, and a rule that never happens",
    () => ({ start: undefined, ...once({ freq: "yearly", bymonth: 2, bymonthday: 30 }) }),
    ["recurrence.0", "start"],
  ],
];

describeOnOneDatabase("events: bad input", (environment) => {
  const world = useWorld(environment);
  let id: number;
  beforeAll(async () => {
    ({ id } = await world().actors.administrator.call(events.create, good as never));
  });
  const count = async () => (await world().instance.database.reader.selectFrom("events").select("id").execute()).length;

  describe("create", () => {
    it.each(wrong)("%s", async (_, fields, names) => {
      const before = await count();
      const input = { ...good, ...fields(world()) } as never;
      expect(await wrongFields(world().actors.administrator.call(events.create, input))).toEqual([...names].sort());
      expect(await count()).toBe(before);
    });
  });

  describe("update", () => {
    const missing = new Set([
      "no title and no type",
      "neither start nor end",
      "without a start, and rules that contradict themselves",
      "without a start, and a rule that never happens",
    ]);
    it.each(wrong.filter(([about]) => !missing.has(about)))("%s", async (_, fields, names) => {
      const { administrator } = world().actors;
      const before = await administrator.call(events.get, { id });
      const input = { id, ...fields(world()) } as never;
      expect(await wrongFields(administrator.call(events.update, input))).toEqual([...names].sort());
      expect(await administrator.call(events.get, { id })).toEqual(before);
    });
  });

  it("events.create names all unknown references", async () => {
    const { administrator } = world().actors;
    const input = { ...good, type: "chain", units: [1, 987654, 987655], userTypes: [987656], shares: [987657, 1] };
    const { fields } = await refusal(administrator.call(events.create, input as never));
    expect(fields).toEqual({
      units: ["contains units that do not exist: 987654, 987655"],
      userTypes: ["contains user types that do not exist: 987656"],
      shares: ["contains users that do not exist or are deactivated: 987657"],
    });
  });

  it("events.filesAdd refuses an unknown event, no files, the event of another user, and files that are too large", async () => {
    const { actors, instance } = world();
    const { administrator, member } = actors;
    const files = [upload("a.txt", "a")];
    expect(await codeOf(administrator.call(events.filesAdd, { id: 987654, files }))).toBe("not_found");
    expect(await wrongFields(administrator.call(events.filesAdd, { id, files: [] }))).toEqual(["files"]);
    await administrator.call(events.filesAddTo, { id, files });
    const [file] = (await administrator.call(events.get, { id })).files;
    const own = await member.call(events.create, good as never);
    expect(await refusal(member.call(events.fileDelete, { id: own.id, file: file!.id }))).toMatchObject({
      code: "not_found",
      message: `Event ${own.id} has no file ${file!.id}.`,
    });
    expect(await refusal(member.call(events.fileDelete, { id, file: file!.id }))).toMatchObject({ code: "not_found" });
    const max = (await instance.service.settings())["uploads.max_bytes"];
    const tooLarge = [upload("large.bin", Buffer.alloc(max + 1))];
    expect(await wrongFields(administrator.call(events.filesAddTo, { id, files: tooLarge }))).toEqual(["files.0.data"]);
    expect((await administrator.call(events.get, { id })).files).toHaveLength(1);
  });

  it("events.filesAdd and filesAddTo refuse files for the event of another user before a transaction begins", async () => {
    const { ids, instance } = world();
    const write = vi.spyOn(instance.database, "write");
    onTestFinished(() => write.mockRestore());
    const member = instance.service.caller({ userId: ids.member });
    for (const op of [events.filesAdd, events.filesAddTo])
      expect(await codeOf(member.call(op, { id, files: [upload("a.txt", "a")] }))).toBe("not_found");
    expect(write).not.toHaveBeenCalled();
  });

  it("events.list refuses wrong limits, pages and ranges", async () => {
    const { administrator } = world().actors;
    const list = (input: object) => wrongFields(administrator.call(events.list, input as never));
    expect(await list({ limit: 501, page: 0, type: "group", start: "now", colour: 1 })).toEqual([
      "colour",
      "limit",
      "page",
      "start",
      "type",
    ]);
    expect(await list({ limit: 0 })).toEqual(["limit"]);
    expect(await list({ start: 10, end: 9 })).toEqual(["end"]);
  });
});
