import { describe, expect, it } from "vitest";
import type { UsageError } from "../../src/cli/errors/cli-errors.ts";
import { phraseOf } from "../../src/cli/time/recurrence/describe-rule.ts";
import { readPhrase } from "../../src/cli/time/recurrence/parse-phrase.ts";
import { readRrule } from "../../src/cli/time/recurrence/read-rrule.ts";

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

  it("takes several rules, or never", async () => {
    expect(phraseOf(await read("every month on the 1st; every month on the 15th"))).toBe(
      "every month on the 1st; every month on the 15th",
    );
    expect(await read("never")).toEqual([]);
  });

  it.each([
    ["every tuesdy", "'tuesdy' is not understood", "did you mean 'tuesday'?"],
    ["every mnth on the 1st", "'mnth' is not understood", "did you mean 'month'?"],
    ["every", "the phrase is incomplete", "examples"],
    ["", "the phrase is incomplete", "examples"],
    ["every second tuesday", "this is ambiguous: use 'every month on the ...' or", "examples"],
    ["every tuesday at 14:00", "the time of day comes from --start", "examples"],
    ["every week on the 13th", "weeks have no numbered days", "examples"],
    ["every friday the 13th", "weeks have no numbered days", "examples"],
    ["every year on 30 february", "this month does not have a day 30", "examples"],
    ["every month on the 32nd", "no month has a day 32", "examples"],
    ["every month on the 6th friday", "use 1st to 5th, or last", "examples"],
    ["every month on the 1st and 15th", "separate rules with a semicolon", "examples"],
    ["every month on the last", "the last what?", "examples"],
    ["every monday on friday", "two parts contradict each other", "examples"],
    ["every year on 24 december in june", "two parts contradict each other", "examples"],
    ["every day in june in july", "two parts contradict each other", "examples"],
    ["every month on the 5th on the 10th", "two parts contradict each other", "examples"],
    ["every month on the first monday on the last", "the last what?", "examples"],
    ["every 0 days", "'0' is not understood", "examples"],
    ["every tuesday some times", "'some' is not a number", "examples"],
    ["every day 3 times until 2026-12-31", "cannot be used together", "examples"],
    ["every blue moon", "'blue' is not understood", "examples"],
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
    ["FREQ=MONTHLY;BYDAY=5FR", [{ freq: "monthly", byday: ["FR"], bysetpos: 5 }]],
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
    ["FREQ=DAILY;FREQ=WEEKLY", ["FREQ occurs twice"]],
    ["FREQ=DAILY;BYHOUR=9;BYWEEKNO=20", ["'BYHOUR' is not supported", "'BYWEEKNO' is not supported"]],
    ["FREQ=WEEKLY;COUNT=x;BYDAY=XX", ["COUNT=X is not a number", "BYDAY=XX is not a weekday"]],
    ["FREQ=DAILY;COUNT=3;UNTIL=20261231", ["COUNT and UNTIL cannot be used together"]],
    ["FREQ=DAILY;UNTIL=tomorrow", ["UNTIL must be a day, as in UNTIL=20261231"]],
    ["FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO", ["WKST=SU is not supported with an interval"]],
    ["FREQ=WEEKLY;BYDAY=1MO", ["BYDAY with a number needs FREQ=MONTHLY or YEARLY"]],
    ["FREQ=MONTHLY;BYDAY=6MO", ["position 6 is kept only as 1 to 5 or -1"]],
    ["FREQ=MONTHLY;BYMONTHDAY=-2", ["BYMONTHDAY=-2 is kept only as 1 to 31 or -1"]],
    ["FREQ=MONTHLY;BYMONTHDAY=1,15;COUNT=4", ["COUNT over several months or days at once"]],
    ["FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5", ["5 rules exceed the limit of 4 for an event"]],
    ["FREQ=YEARLY;BYMONTH=13", ["there is no month 13"]],
    ["nonsense", ["'nonsense' is not supported", "FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY"]],
  ])("%s is refused", (text, issues) => expect(rrule(text)).toEqual({ issues }));
});
