import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { useHome } from "./support.ts";

const data = join(import.meta.dirname, "../data/calendars");
const home = useHome();
const wcs = async (line: string, seat?: Parameters<ReturnType<typeof home>["sit"]>[1]) => {
  const { code, stdout, stderr } = await home().sit(["events", ...line.split(" ")], seat);
  return { code, stdout, stderr: stderr.trimEnd().split("\n") };
};
const list = async (query: string) =>
  JSON.parse((await home().sit(["events", "list", "--all", "--json", "--query", query])).stdout);
const hint =
  "hint: Each is listed above. Correct the file and import it again; events that are imported stay as they are.";

/** A calendar with these lines in an event each. */
const calendar = (...events: readonly string[][]) => [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  ...events.flatMap((lines) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]),
  "END:VCALENDAR",
  "",
];
const take = async (lines: readonly string[], flags = "", end = "\r\n") =>
  wcs(`import - ${flags}`.trim(), { stdin: lines.join(end) });
const day = "DTSTART;VALUE=DATE:20261224";

beforeAll(async () => {
  await home().sit(["settings", "set", "timezone", "Europe/Copenhagen"]);
});

describe("events import of a calendar of another program", () => {
  it("imports its events, and reports what is not supported", async () => {
    const issues = [
      "line 7, ATTENDEE: is not kept (2 times)",
      "line 7, VALARM: is not kept",
      "line 7, EXDATE: excluded days are not kept",
      "line 30 changes one occurrence of the event abc123@web.example (RECURRENCE-ID), which is not kept",
      "line 49, URL: is not an http or https URL",
      "line 49, RRULE: is not kept, only the first occurrence: it names days in another time zone than that of the instance",
      "line 57 is a VTODO, not an event",
      "line 61, RRULE: is not kept, only the first occurrence: 'BYHOUR' is not supported",
    ];
    const file = join(data, "web.ics");
    const span = "line 37: the whole days of Christmas become a time from midnight to midnight";
    const end = ["error: 2 of 7 events were not imported, nor were parts of 3 more.", hint];
    expect(await wcs(`import ${file} -n`)).toEqual({
      code: 3,
      stdout: "",
      stderr: [
        span,
        ...issues,
        "created 5, changed 0, unchanged 0, skipped 2",
        "Dry run: nothing was changed.",
        ...end,
      ],
    });
    expect(await list("[]")).toEqual([]);
    const done = await wcs(`import ${file}`);
    expect(done.stderr).toEqual([span, ...issues, "created 5, changed 0, unchanged 0, skipped 2", ...end]);
    const again = await wcs(`import ${file} --results ${home().path("results.csv")}`);
    expect(again.stderr).toEqual([...issues, "created 0, changed 0, unchanged 5, skipped 2", ...end]);
    expect(readFileSync(home().path("results.csv"), "utf8").split("\n").slice(0, 4)).toEqual([
      "line,reference,action,id,errors",
      "7,abc123@web.example,unchanged,1,ATTENDEE is not kept (2 times); VALARM is not kept; EXDATE excluded days are not kept",
      '30,,skipped,,"row changes one occurrence of the event abc123@web.example (RECURRENCE-ID), which is not kept"',
      "37,xmas@web.example,unchanged,2,",
    ]);
  });

  it("keeps texts, times and recurrence", async () => {
    expect(
      await list("[?uid=='abc123@web.example'].[title,body,location,type,recurrence[0].until,dates[-1].start] | [0]"),
    ).toEqual([
      "Stand, up",
      "Line one\nLine two with a very long text that is folded here and goes on",
      null,
      "user",
      "2027-03-01",
      Date.parse("2027-02-25T08:00Z") / 1000,
    ]);
    // Several whole days are the time from midnight to midnight.
    expect(await list("[?uid=='xmas@web.example'].[all_day,dates[0]] | [0]")).toEqual([
      false,
      { start: Date.parse("2026-12-23T23:00Z") / 1000, end: Date.parse("2026-12-26T23:00Z") / 1000 },
    ]);
    expect(await list("[?uid=='nye'].[all_day,days[1]] | [0]")).toEqual([true, "2027-12-31"]);
    // Its DURATION is 45 minutes; without a time zone a time is that of the calendar.
    expect(await list("[?uid=='utc1'].dates[] | [0].end")).toBe(Date.parse("2026-12-01T23:45Z") / 1000);
    expect(await list("[?starts_with(title,'Floating')].[dates[0].start, length(uid)] | [0]")).toEqual([
      Date.parse("2026-12-01T14:00Z") / 1000,
      64,
    ]);
  });

  it("removes the spaces around a title, and leaves it unchanged at the next import", async () => {
    const file = calendar(["UID:spaced", "SUMMARY: Padded ", day]);
    expect((await take(file)).stderr).toContainEqual(expect.stringContaining("created 1, changed 0"));
    expect(await list("[?uid=='spaced'].title | [0]")).toBe("Padded");
    expect((await take(file)).stderr).toContainEqual(expect.stringContaining("created 0, changed 0, unchanged 1"));
  });

  it("takes several whole days, and times without a zone, in the zone of --tz", async () => {
    const days = ["UID:days-of-tz", "SUMMARY:Away", day, "DTEND;VALUE=DATE:20261227"];
    expect((await take(calendar(days), "--tz America/New_York")).code).toBe(0);
    expect(await list("[?uid=='days-of-tz'].dates[0] | [0]")).toEqual({
      start: Date.parse("2026-12-24T05:00Z") / 1000,
      end: Date.parse("2026-12-27T05:00Z") / 1000,
    });
  });

  it("reads time zones that the file defines", async () => {
    const file = join(data, "office.ics");
    const elsewhere = "line 29 has a DTSTART in the time zone Mars/Olympus, which the file does not define";
    const isPrivate = "line 20, CLASS: is private, but the event would not be; import it with --type user";
    expect((await wcs(`import ${file} --type chain`)).stderr.slice(0, 2)).toEqual([isPrivate, elsewhere]);
    const { code, stderr } = await wcs(`import ${file}`);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: [
        elsewhere,
        "created 1, changed 0, unchanged 0, skipped 1",
        "error: 1 of 2 events was not imported.",
        hint,
      ],
    });
    expect(
      await list("[?title=='Møde'].[dates[:3].start, recurrence[0].[freq,interval,byday,bysetpos,until]] | [0]"),
    ).toEqual([
      ["2026-07-06T12:00Z", "2026-09-07T12:00Z", "2026-11-02T13:00Z"].map((time) => Date.parse(time) / 1000),
      ["monthly", 2, ["MO"], 1, "2027-12-31"],
    ]);
  });
});

it("events import does not read time zones whose clocks change too often", async () => {
  const zone = (rule: string) => [
    ...["BEGIN:VTIMEZONE", `TZID:${rule}`, "BEGIN:STANDARD", "DTSTART:16010101T000000", "RRU", ` LE:${rule}`],
    ...["TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "END:STANDARD", "END:VTIMEZONE"],
  ];
  const rules = ["FREQ=SECONDLY", "FREQ=DAILY", "FREQ=YEARLY;BYHOUR=1,2", "BYMONTH=2;BYMONTHDAY=31;FREQ=YEARLY"];
  const events = rules.map((rule, at) => [`UID:z${at}`, "SUMMARY:x", `DTSTART;TZID="${rule}":20261224T100000`]);
  const [begin, version, ...rest] = calendar(...events);
  const { stderr } = await take([begin!, version!, ...rules.flatMap(zone), ...rest]);
  expect(stderr.slice(0, 4)).toEqual([
    ...rules
      .slice(0, 3)
      .map((rule, at) => `line ${43 + at * 5} has a DTSTART in the time zone ${rule}, which the file does not define`),
    "created 1, changed 0, unchanged 0, skipped 3",
  ]);
});

it("events import keeps no rules when there are too many, and a repeated one once", async () => {
  const rules = (...counts: number[]) => counts.map((count) => `RRULE:FREQ=DAILY;COUNT=${count}`);
  const { code, stderr } = await take(
    calendar(
      ["UID:r5", "SUMMARY:five", day, ...rules(2, 3, 4, 5, 6)],
      ["UID:r4", "SUMMARY:four", day, ...rules(2, 2, 3, 4, 5)],
    ),
  );
  expect({ code, stderr: stderr[0] }).toEqual({
    code: 3,
    stderr: "line 3, RRULE: is not kept, only the first occurrence: 5 rules exceed the limit of 4 for an event",
  });
  expect(await list("[?uid=='r5' || uid=='r4'].[uid,length(recurrence)]")).toEqual([
    ["r5", 0],
    ["r4", 4],
  ]);
});

describe("events import of what is not supported", () => {
  it("names each event with its line, and imports the rest", async () => {
    const long = "x".repeat(256);
    const { code, stderr } = await take(
      calendar(
        ["UID:b1", "SUMMARY:x", "DTSTART:20261332T100000Z"],
        ["UID:b2", day, "SUMMARY"],
        ["UID:b3", day],
        ["UID:b4", "SUMMARY:x"],
        ["UID:b5", "SUMMARY:x", day, "STATUS:CANCELLED"],
        ["UID:b6", "SUMMARY:x", day, "DURATION:P1X"],
        ["UID:b7", `SUMMARY:${long}`, "DTSTART:18500101T000000Z"],
        ["UID:b8", "SUMMARY:x", "DTSTART:20261224T100000Z", "DTEND:20261224T090000Z"],
        ["UID:b9", "SUMMARY:x", day, "RRULE:FREQ=DAILY;UNTIL=20200101"],
        ["UID:ok", "SUMMARY:good", "DTSTART:20261224"],
        ["UID:ok", "SUMMARY:good", day],
      ),
    );
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: [
        "line 3 has a DTSTART that is not a time: 2026-13-32T10:00:00Z",
        "line 8 has a line that cannot be parsed: SUMMARY",
        "line 13 has no title (SUMMARY)",
        "line 17 has no start (DTSTART)",
        "line 21 is cancelled (STATUS)",
        "line 27 has a DURATION that cannot be parsed",
        "line 33, title: must have at most 255 characters",
        "line 33, start: must not be before the year 1900",
        "line 33, end: must not be before the year 1900",
        "line 38, end: must not be before the start",
        "line 44, recurrence.0.until: must not be before the first day, 2026-12-24",
        "line 55 has the same UID as the event of line 50",
        "created 1, changed 0, unchanged 0, skipped 10",
        "error: 10 of 11 events were not imported.",
        hint,
      ],
    });
    expect(await list("[?uid=='ok'].[title,date]")).toEqual([["good", "2026-12-24"]]);
  });

  it("names an event whose DURATION is longer than dates go", async () => {
    const endless = ["UID:c1", "SUMMARY:x", day, `DURATION:P${"9".repeat(300)}D`];
    const { code, stderr } = await take(calendar(endless, ["UID:c2", "SUMMARY:x", day, "DURATION:P999999999W"]));
    expect({ code, stderr: stderr.slice(0, 2) }).toEqual({
      code: 3,
      stderr: [
        "line 3 has a DURATION of more than a century (also line 9)",
        "created 0, changed 0, unchanged 0, skipped 2",
      ],
    });
  });

  it("reads a title and a rule with very many spaces in time that grows with their number", async () => {
    const spaces = " ".repeat(1_000_000);
    const { code, stderr } = await take(calendar(["UID:c3", `SUMMARY:a${spaces}b`, day, `RRULE:FREQ${spaces}DAILY`]));
    expect({ code, stderr: stderr[0] }).toEqual({ code: 3, stderr: expect.stringMatching(/^line 3, title: /) });
  });

  it.each([
    ["nothing at all", "", "stdin is not an iCalendar file: it has no BEGIN:VCALENDAR."],
    ["another text", "title,start\nx,1\n", "stdin is not an iCalendar file: it has no BEGIN:VCALENDAR."],
    ["a text of other bytes", "BEGIN:VCALENDAR\n\u{fffd}", undefined],
  ])("%s", async (_, stdin, message) => {
    const { code, stderr } = await wcs("import -", { stdin });
    if (message) expect({ code, stderr }).toEqual({ code: 3, stderr: [`error: ${message}`] });
    else expect({ code, stderr }).toEqual({ code: 0, stderr: ["created 0, changed 0, unchanged 0, skipped 0"] });
  });

  it("events export of an unknown event prints nothing", async () => {
    expect(await wcs("export 99999")).toMatchObject({ code: 6, stdout: "" });
  });

  it("prints the numbers as JSON, or the result of each event, as other imports do", async () => {
    const file = calendar(["UID:json-1", "SUMMARY:One", day], ["UID:json-2", "SUMMARY:Two", day]).join("\r\n");
    const whole = await wcs("import - --json", { stdin: file });
    expect(JSON.parse(whole.stdout)).toEqual({ created: 2, changed: 0, unchanged: 0, skipped: 0 });
    const each = await wcs("import - -o ndjson", { stdin: file });
    expect(
      each.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).action),
    ).toEqual(["unchanged", "unchanged"]);
  });

  it("refuses a file in another encoding, or one that is too large", async () => {
    const file = home().path("bad.ics");
    writeFileSync(file, Buffer.from("BEGIN:VCALENDAR\nX:\xe6\nEND:VCALENDAR\n", "latin1"));
    expect((await wcs(`import ${file}`)).stderr).toEqual([
      `error: ${file} is not encoded in UTF-8. Convert it to UTF-8 first.`,
    ]);
    writeFileSync(file, Buffer.from("504b0304ff", "hex"));
    expect((await wcs(`import ${file}`)).stderr).toEqual([expect.stringContaining("seems to be an Excel workbook")]);
    writeFileSync(file, Buffer.alloc(33_554_433));
    const tooLarge = "is larger than 33.6 MB. Split it into smaller files.";
    expect(await wcs(`import ${file}`)).toEqual({ code: 3, stdout: "", stderr: [`error: ${file} ${tooLarge}`] });
    expect((await wcs("import -", { stdin: "x".repeat(33_554_433) })).stderr).toEqual([`error: stdin ${tooLarge}`]);
    expect((await wcs("import nowhere.ics")).code).toBe(2);
  });

  it("reports an event whose inner components have no END line", async () => {
    const { stderr } = await take(
      calendar(["UID:v1", "SUMMARY:x", day, "BEGIN:VALARM"], ["UID:v2", "SUMMARY:next", day]),
    );
    expect(stderr.slice(0, 2)).toEqual(["line 3 has no END:VEVENT", "created 1, changed 0, unchanged 0, skipped 1"]);
  });

  it("reports the event in which a file ends", async () => {
    const lines = calendar(["UID:e1", "SUMMARY:whole", day], ["UID:e2", "SUMMARY:cut", day]).slice(0, -3);
    const { stderr } = await take(lines);
    expect(stderr.slice(0, 2)).toEqual(["line 8 has no END:VEVENT", "created 1, changed 0, unchanged 0, skipped 1"]);
  });
});

it.each([
  ["CRLF", "\r\n"],
  ["LF", "\n"],
  ["CR", "\r"],
])("events import reads lines that end with %s", async (name, end) => {
  const { code } = await take(calendar([`UID:${name}`, `SUMMARY:Ends`, " with", `\t ${name}`, day]), "", end);
  expect(code).toBe(0);
  expect(await list(`[?uid=='${name}'].title`)).toEqual([`Endswith ${name}`]);
});

it("events import recognizes an event without a UID by its properties", async () => {
  const lines = calendar(["SUMMARY:No name", day]);
  expect((await take(lines)).stderr).toEqual(["created 1, changed 0, unchanged 0, skipped 0"]);
  expect((await take(lines)).stderr).toEqual(["created 0, changed 0, unchanged 1, skipped 0"]);
  const turned = calendar([day, "SUMMARY:No name"]);
  expect((await take(turned)).stderr).toEqual(["created 0, changed 0, unchanged 1, skipped 0"]);
});

it("events import ends a rule on the last day on which its time is not after UNTIL", async () => {
  const starts = "DTSTART;TZID=Europe/Copenhagen:20401201T140000";
  const untils = ["20401210", "20401210T000000", "20401210T130000Z", "20401210T125959Z", "20401210T140000"];
  const rules = (start: string) =>
    untils.map((until, at) => [`UID:u${at}`, "SUMMARY:x", start, `RRULE:FREQ=DAILY;UNTIL=${until}`]);
  const last = async () => list("[?length(uid)==`2` && starts_with(uid,'u')] | sort_by(@, &uid)[].recurrence[0].until");
  expect((await take(calendar(...rules(starts)))).code).toBe(0);
  expect(await last()).toEqual(["2040-12-10", "2040-12-09", "2040-12-10", "2040-12-09", "2040-12-10"]);
  expect((await take(calendar(...rules("DTSTART;VALUE=DATE:20401201")))).code).toBe(0);
  expect(await last()).toEqual(["2040-12-10", "2040-12-10", "2040-12-10", "2040-12-10", "2040-12-10"]);
});

it("events import changes only the parts of an event that differ", async () => {
  const lines = ["UID:parts", "SUMMARY:x", "DESCRIPTION:y", "LOCATION:z", "URL:https://example.com/", day];
  await take(calendar(lines));
  for (const [at, other] of [
    [1, "SUMMARY:a"],
    [2, "DESCRIPTION:a"],
    [3, "LOCATION:a"],
    [4, "URL:https://example.org/"],
  ] as const) {
    lines[at] = other;
    expect((await take(calendar(lines))).stderr, other).toEqual(["created 0, changed 1, unchanged 0, skipped 0"]);
  }
  lines[5] = "DTSTART;TZID=Europe/Copenhagen:20401224T100000";
  lines.push("RRULE:FREQ=DAILY;COUNT=2");
  expect((await take(calendar(lines))).stderr).toEqual(["created 0, changed 1, unchanged 0, skipped 0"]);
  expect(await list("[?uid=='parts'].[title,body,location,link,all_day,length(dates)] | [0]")).toEqual([
    ...["a", "a", "a", "https://example.org/", false, 2],
  ]);
});

it("events import takes the calendar from flags, and refuses contradictions", async () => {
  const lines = calendar(["UID:c1", "SUMMARY:Chain", day, "X-WCS-TYPE:chain"], ["UID:c2", "SUMMARY:Plain", day]);
  expect((await take(lines, "--units 1")).code).toBe(2);
  expect((await take(lines, "--type chain --keep-types")).code).toBe(2);
  expect((await take(lines, "--type group")).code).toBe(2);
  expect((await take(lines, "--keep-types --units 2")).stderr).toEqual([
    "created 2, changed 0, unchanged 0, skipped 0",
  ]);
  expect(await list("[?uid=='c1' || uid=='c2'].[uid,type,units[].id] | sort_by(@, &[0])")).toEqual([
    ["c1", "chain", [2]],
    ["c2", "user", []],
  ]);
});

it("events import changes events that others read only when the line says so", async () => {
  const lines = ["UID:board@x.example", "SUMMARY:Board", day];
  await take(calendar(lines), "--type chain");
  lines[1] = "SUMMARY:Changed by a feed";
  const skipped = "created 0, changed 0, unchanged 0, skipped 1";
  const { code, stderr } = await take(calendar(lines));
  expect([code, ...stderr.slice(0, 2)]).toEqual([
    3,
    expect.stringMatching(
      /^line 3, UID: is that of your chain event \d+, which stays in its calendar; use --type chain or --keep-types to change it$/,
    ),
    skipped,
  ]);
  const titles = () => list("[?uid=='board@x.example'].title");
  expect(await titles()).toEqual(["Board"]);
  for (const [flags, title] of [
    ["--type chain", "Chain"],
    ["--keep-types", "Kept"],
  ]) {
    lines[1] = `SUMMARY:${title}`;
    expect((await take(calendar(lines), flags)).code).toBe(0);
    expect(await titles()).toEqual([title]);
  }
});

it("events import writes no personal event into an event of somebody else with its UID", async () => {
  const addUser = ["users", "create", "--first-name", "Mal", "--last-name", "Lory", "--email", "mal@x.example"];
  await home().sit([...addUser, "--unit", "1"]);
  const trap = ["--as", "mal@x.example", "events", "import", "-"];
  const lines = ["UID:meeting@x.example", "SUMMARY:Trap", day];
  const types = ["usertypes", "create", "--name", "Planner", "--abilities-calendar"];
  expect((await home().sit(types)).code).toBe(0);
  await home().sit(["users", "membership", "set", "mal@x.example", "1", "--user-types", "Planner"]);
  const made = await home().sit([...trap, "--type", "chain"], { stdin: calendar(lines).join("\r\n") });
  expect(made.stderr).toContain("created 1");
  lines[1] = "SUMMARY:What only I may read";
  expect((await take(calendar(lines))).stderr[0]).toBe("created 1, changed 0, unchanged 0, skipped 0");
  expect(await list("[?uid=='meeting@x.example'].[type, title] | sort_by(@, &[0])")).toEqual([
    ["chain", "Trap"],
    ["user", "What only I may read"],
  ]);
});

describe("events export", () => {
  it("exports the named events, or those of a period", async () => {
    const uids = (text: string) => text.match(/^UID:.*$/gm);
    expect(uids((await wcs("export 1,2")).stdout)).toEqual(["UID:abc123@web.example", "UID:xmas@web.example"]);
    const days = ["--from", "2026-12-31", "--to", "2026-12-31", "--type", "user", "--tz", "Europe/Copenhagen"];
    expect(uids((await home().sit(["events", "export", ...days])).stdout)).toEqual([
      "UID:nye",
      "UID:abc123@web.example",
    ]);
    expect((await wcs("export 1 --type chain")).code).toBe(2);
    expect((await wcs("export 999999")).code).toBe(6);
    expect((await wcs("export --from yesterdayish")).code).toBe(2);
  });

  it("leaves the old file unchanged, and no new one, when it fails", async () => {
    const file = home().path("kept.ics");
    writeFileSync(file, "old");
    expect((await wcs(`export 1 999999 -o ${file}`)).code).toBe(6);
    expect(readFileSync(file, "utf8")).toBe("old");
  });
});

describe("events on a terminal", () => {
  const screen = { width: 80, height: 24 };

  it("events calendar draws a month", async () => {
    const { stdout } = await wcs("calendar --month 2026-12 --tz Europe/Copenhagen", { screen });
    expect(stdout).toContain("December 2026\n");
    expect(
      stdout
        .split("\n")
        .slice(2, -1)
        .map((line) => line.length),
    ).toEqual(
      stdout
        .split("\n")
        .slice(2, -1)
        .map(() => 78),
    );
    expect(stdout).toMatch(/│9 Stand, …│0:00 Call │9 Stand, …│/);
  });

  it("events list shows the first occurrence in the period that was asked for", async () => {
    const daily = ["--type", "user", "--title", "Daily", "--start", "2099-03-01 9:00", "--end", "9:15"];
    await home().sit(["events", "create", ...daily, "--repeat", "every day until 2099-06-30", "--tz", "UTC"]);
    const whole = ["--type", "user", "--title", "Whole", "--all-day", "--date", "2099-03-01"];
    await home().sit(["events", "create", ...whole, "--repeat", "every day until 2099-06-30", "--tz", "UTC"]);
    const period = "list --start 2099-05-10 --end 2099-05-20 --tz UTC";
    const { stdout } = await wcs(period, { screen });
    // The instance is in Copenhagen, where summer time begins in between.
    expect(stdout).toMatch(/^\d+ +2099-05-10 08:00 +Daily /m);
    expect(stdout).toMatch(/^\d+ +2099-05-10 +Whole /m);
    const rows = (await wcs(period)).stdout;
    expect(rows).toMatch(/^\d+\tDaily\tuser\t2099-05-10T08:00:00\+00:00\t2099-05-10T08:15:00\+00:00\t/m);
  });

  it("events list has a dot before events that the user has not seen, other than their own", async () => {
    const bo = "users create --first-name Bo --last-name Roe --email bo.roe@example.com --unit 1".split(" ");
    expect((await home().sit(bo)).code).toBe(0);
    const made = await wcs("create --type chain --title Regatta --date 2098-06-01 --all-day --json");
    const { id } = JSON.parse(made.stdout);
    const title = async (...as: string[]) => {
      const { stdout } = await wcs(`list --start 2098-05-30 --end 2098-06-02 ${as.join(" ")}`.trim(), { screen });
      return stdout.match(/^\d+ +2098-06-01 +(.*?) {2}/m)?.[1];
    };
    const asBo = ["--db", home().path("data/wcs/wcs.db"), "--as", "bo.roe@example.com"];
    expect([await title(), await title(...asBo)]).toEqual(["Regatta", "• Regatta"]);
    await wcs(`seen ${id} ${asBo.join(" ")}`);
    expect(await title(...asBo)).toBe("Regatta");
  });

  it("events list shows the next time in the user's zone, and events get all fields", async () => {
    const { stdout } = await wcs("list --start 2026-07-01 --end 2026-07-31 --tz America/New_York", { screen });
    expect(stdout.split("\n")[0]).toMatch(/^ID +WHEN +TITLE +REPEATS +TYPE$/);
    const id = (await list("[?title=='Møde'].id"))[0];
    const one = await wcs(`get ${id} --tz America/New_York`, { screen });
    expect(one.stdout).toMatch(/^repeats +every 2 months on the 1st Monday until 2027-12-31$/m);
    expect(one.stdout).toMatch(/^when +\d{4}-\d\d-\d\d 0[789]:00–\d\d:00$/m);
    expect(one.stdout).toMatch(/^timezone +Europe\/Copenhagen$/m);
    const text = await wcs("get 1", { screen });
    expect(text.stdout).toMatch(/\n\nLine one\nLine two with a very long text/);
  });
});

describe("wrong lines", () => {
  const create = (...args: string[]) => home().sit(["events", "create", "--type", "user", "--title", "x", ...args]);

  it.each([
    [["--start", "someday"], 2, "--start must be a time like"],
    [["--end", "+90m"], 2, "--end +90m is relative to --start: pass both."],
    [["--date", "2026-02-30"], 2, "--date must be a day like 2026-12-31"],
    [["--start", "friday 25:00", "--end", "+1h"], 2, /^error: --start must be a time like [^;]*\n/],
    [["--date", "2027-01-01", "--start", "tomorrow"], 2, "--date and --start cannot be used together."],
    [["--start", "2026-12-24 10:00", "--end", "2026-12-24 9:00"], 3, "--end must not be before the start"],
    [["--start", "2026-12-24 10:00"], 2, "Missing --end (like '2026-12-31 14:00')."],
    [["--all-day"], 2, "Missing --date."],
    [["--date", "2026-12-24", "--repeat", "every tuesdy"], 2, "--repeat 'every tuesdy': 'tuesdy' is not understood."],
    [
      ["--date", "2026-12-24", "--repeat", "every tuesday until 2020-01-01"],
      3,
      "--repeat must not be before the first day",
    ],
    [["--date", "2026-12-24", "--rrule", "FREQ=SECONDLY"], 2, "--rrule 'FREQ=SECONDLY': FREQ must be DAILY"],
    [["--date", "2026-12-24", "--tz", "Mars/Olympus"], 2, "--tz: unknown time zone 'Mars/Olympus'"],
  ])("%s", async (args, code, message) => {
    const result = await create(...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(message);
  });

  it.each([
    ["--month soon", "--month must be a month like 2026-12 or december"],
    ["--month 2026-13", "--month must be a month like 2026-12 or december"],
    ["--month 2026-12 --week", "--month cannot be used together with --week, --from or --to"],
    ["--from 2026-12-02 --to 2026-12-01", "--to 2026-12-01 is before --from 2026-12-02"],
    ["--from 2026-01-01 --to 2027-12-01", "--from and --to can span at most 366 days"],
    ["--type group", "--type must be one of chain, unit, user"],
  ])("calendar %s", async (flags, message) => {
    const { code, stderr } = await wcs(`calendar ${flags}`);
    expect(code).toBe(2);
    expect(stderr[0]?.toLowerCase()).toContain(message.toLowerCase());
  });
});
