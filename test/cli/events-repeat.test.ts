import { describe, expect, it } from "vitest";
import { phraseOf } from "../../src/cli/events/repeat/phrase.ts";
import { readPhrase } from "../../src/cli/events/repeat/read-phrase.ts";
import { readRrule } from "../../src/cli/events/repeat/rrule.ts";
import type { UsageError } from "../../src/cli/failure.ts";

const read = (text: string) => readPhrase(text, "--repeat", async (day) => day);
const plain = { until: null, count: null, interval: 1, byday: [], bymonthday: null, bymonth: null, bysetpos: null };

describe("--repeat", () => {
  it.each([
    ["every day", { freq: "daily" }],
    ["daily 5 times", { freq: "daily", count: 5 }],
    ["every weekday", { freq: "weekly", byday: ["MO", "TU", "WE", "TH", "FR"] }],
    ["monday to friday in june", { freq: "weekly", byday: ["MO", "TU", "WE", "TH", "FR"], bymonth: 6 }],
    ["every weekend", { freq: "weekly", byday: ["SA", "SU"] }],
    ["every sat-mon", { freq: "weekly", byday: ["MO", "SA", "SU"] }],
    ["every tuesday until 2026-12-31", { freq: "weekly", byday: ["TU"], until: "2026-12-31" }],
    ["Tuesdays, thu & Saturday for ten times", { freq: "weekly", byday: ["TU", "TH", "SA"], count: 10 }],
    ["every other week", { freq: "weekly", interval: 2 }],
    ["every other friday", { freq: "weekly", interval: 2, byday: ["FR"] }],
    ["every 2 weeks on monday and friday", { freq: "weekly", interval: 2, byday: ["MO", "FR"] }],
    ["every third month", { freq: "monthly", interval: 3 }],
    ["every month on the 1st", { freq: "monthly", bymonthday: 1 }],
    ["every month on the last friday", { freq: "monthly", byday: ["FR"], bysetpos: -1 }],
    ["every first monday of the month", { freq: "monthly", byday: ["MO"], bysetpos: 1 }],
    ["every month on the last weekday", { freq: "monthly", byday: ["MO", "TU", "WE", "TH", "FR"], bysetpos: -1 }],
    [
      "every month on the last day",
      { freq: "monthly", byday: ["MO", "TU", "WE", "TH", "FR", "SA", "SU"], bysetpos: -1 },
    ],
    ["every month on friday the 13th", { freq: "monthly", byday: ["FR"], bymonthday: 13 }],
    ["every year on 24 december", { freq: "yearly", bymonthday: 24, bymonth: 12 }],
    ["every december 24", { freq: "yearly", bymonthday: 24, bymonth: 12 }],
    ["annually on the second sunday in may", { freq: "yearly", byday: ["SU"], bysetpos: 2, bymonth: 5 }],
  ])("%s", async (text, rule) => expect(await read(text)).toEqual([{ ...plain, ...rule }]));

  it("several rules, or none", async () => {
    expect(phraseOf(await read("every month on the 1st; every month on the 15th"))).toBe(
      "every month on the 1st; every month on the 15th",
    );
    expect(await read("never")).toEqual([]);
  });

  it.each([
    ["every tuesdy", "'tuesdy' is not understood", "did you mean 'tuesday'?"],
    ["every mnth on the 1st", "'mnth' is not understood", "did you mean 'month'?"],
    ["every", "something is missing at its end", "understood are"],
    ["", "something is missing at its end", "understood are"],
    ["every second tuesday", "this may be 'every month on the ...' or", "understood are"],
    ["every tuesday at 14:00", "the time of day is that of --start", "understood are"],
    ["every week on the 13th", "a week has no days by number", "understood are"],
    ["every friday the 13th", "a week has no days by number", "understood are"],
    ["every year on 30 february", "there is no day 30 then", "understood are"],
    ["every month on the 32nd", "there is no day 32 then", "understood are"],
    ["every month on the 6th friday", "from the 1st to the 5th", "understood are"],
    ["every month on the 1st and 15th", "divide such rules by a semicolon", "understood are"],
    ["every month on the last", "the last what?", "understood are"],
    ["every 0 days", "'0' is not understood", "understood are"],
    ["every tuesday some times", "'some' is no number", "understood are"],
    ["every day 3 times until 2026-12-31", "exclude each other", "understood are"],
    ["every blue moon", "'blue' is not understood", "understood are"],
  ])("'%s' is refused", async (text, reason, hint) => {
    const error = (await read(text).catch((error) => error)) as UsageError;
    expect(error.message).toContain(`--repeat '${text}': `);
    expect(error.message).toContain(reason);
    expect(error.hint).toContain(hint);
  });
});

describe("an RRULE", () => {
  const rrule = (text: string) => readRrule(text, (until) => (/^\d{8}$/.test(until) ? until : undefined));

  it.each([
    ["RRULE:FREQ=WEEKLY;BYDAY=TU", [{ freq: "weekly", byday: ["TU"] }]],
    ["freq=weekly;wkst=SU;byday=tu,mo", [{ freq: "weekly", byday: ["MO", "TU"] }]],
    ["FREQ=MONTHLY;BYDAY=-1FR", [{ freq: "monthly", byday: ["FR"], bysetpos: -1 }]],
    [
      "FREQ=MONTHLY;BYDAY=1MO,3MO",
      [
        { freq: "monthly", byday: ["MO"], bysetpos: 1 },
        { freq: "monthly", byday: ["MO"], bysetpos: 3 },
      ],
    ],
    [
      "FREQ=MONTHLY;BYMONTHDAY=1,-1",
      [
        { freq: "monthly", bymonthday: 1 },
        { freq: "monthly", byday: ["MO", "TU", "WE", "TH", "FR", "SA", "SU"], bysetpos: -1 },
      ],
    ],
    ["FREQ=MONTHLY;BYDAY=1MO,1MO", [{ freq: "monthly", byday: ["MO"], bysetpos: 1 }]],
  ])("%s", (text, rules) => expect(rrule(text)).toEqual({ rules: rules.map((rule) => ({ ...plain, ...rule })) }));

  it.each([
    ["", ["FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY"]],
    ["FREQ=HOURLY", ["FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY"]],
    ["FREQ=DAILY;FREQ=WEEKLY", ["FREQ stands twice"]],
    [
      "FREQ=DAILY;BYHOUR=9;BYWEEKNO=20",
      ["'BYHOUR' is no part that can be kept", "'BYWEEKNO' is no part that can be kept"],
    ],
    ["FREQ=WEEKLY;COUNT=x;BYDAY=XX", ["COUNT=X is no number", "BYDAY=XX is no weekday"]],
    ["FREQ=DAILY;COUNT=3;UNTIL=20261231", ["COUNT and UNTIL exclude each other"]],
    ["FREQ=DAILY;UNTIL=tomorrow", ["UNTIL must be a day, as in UNTIL=20261231"]],
    ["FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO", ["weeks that begin on SU (WKST)"]],
    ["FREQ=WEEKLY;BYDAY=1MO", ["BYDAY with a number needs FREQ=MONTHLY or YEARLY"]],
    ["FREQ=MONTHLY;BYDAY=6MO", ["position 6 is kept only as 1 to 5 or -1"]],
    ["FREQ=MONTHLY;BYMONTHDAY=-2", ["BYMONTHDAY=-2 is kept only as 1 to 31 or -1"]],
    ["FREQ=MONTHLY;BYMONTHDAY=1,15;COUNT=4", ["COUNT over several months or days at once"]],
    ["FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5", ["there are 5 rules, and an event takes 4"]],
    ["FREQ=YEARLY;BYMONTH=13", ["there is no month 13"]],
    ["nonsense", ["'nonsense' is no part that can be kept", "FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY"]],
  ])("%s is refused", (text, problems) => expect(rrule(text)).toEqual({ problems }));
});
