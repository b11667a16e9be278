import type { Rule } from "../../../contract/event-schemas.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { type PartialRule, readDays, readMore, readNth } from "./parse-when.ts";
import {
  daysNamed,
  frequencyNamed,
  meant,
  monthNamed,
  numberNamed,
  ordinalNamed,
  unitNamed,
} from "./recurrence-words.ts";
import { type Cursor, createCursor } from "./word-cursor.ts";

const examples = `examples: every day; every weekday; every other week; every tuesday and thursday;
every 2 weeks on friday; every month on the 1st; every month on the last friday; every year on 24 december;
add 'until 2026-12-31' or '10 times' to each`.replaceAll("\n", " ");

type ReadDay = (text: string) => Promise<string>;

/** Parses recurrence rules in words, separated by semicolons, or `never`. Errors name `flag`. */
export async function readPhrase(text: string, flag: string, readDay: ReadDay): Promise<Rule[]> {
  if (/^\s*(never|none|no)\s*$/i.test(text)) return [];
  return Promise.all(text.split(";").map((rule) => readRule(rule.trim(), flag, readDay)));
}

async function readRule(text: string, flag: string, readDay: ReadDay): Promise<Rule> {
  const [, said = "", day] = /^(.*?)(?:\b(?:until|till)\b(.*))?$/is.exec(text) ?? [];
  const [, rule = "", times] = /^(.*?)(?:\s(?:for\s+)?(\S+)\s+times?)?\s*$/is.exec(said) ?? [];
  const cursor = createCursor(rule, (message, word) => {
    const guess = word === undefined ? undefined : meant(word);
    throw new UsageError(`${flag} '${text}': ${message}`, { hint: guess ? `did you mean '${guess}'?` : examples });
  });
  const draft = begin();
  readHead(cursor, draft);
  while (cursor.word !== undefined) {
    const before = { ...draft };
    readMore(cursor, draft);
    refuseSecond(cursor, before, draft);
  }
  check(cursor, draft);
  if (times !== undefined) draft.count = numberNamed(times.toLowerCase()) || cursor.fail(`'${times}' is not a number`);
  if (times !== undefined && day !== undefined) cursor.fail("'times' and 'until' cannot be used together");
  if (day !== undefined) draft.until = await readDay(day.trim());
  return draft;
}

const begin = (): PartialRule => ({
  freq: "daily",
  until: null,
  count: null,
  interval: 1,
  byday: [],
  bymonthday: null,
  bymonth: null,
  bysetpos: null,
});

/** Reads the part after `every`: `2 weeks`, `other tuesday`, `weekday`, `last friday`, `24 december`. */
function readHead(cursor: Cursor, draft: PartialRule): void {
  cursor.take("every", "each");
  const { word = "" } = cursor;
  const frequency = cursor.read(frequencyNamed);
  if (frequency) draft.freq = frequency;
  else if (cursor.take("other")) readUnit(cursor, draft, 2);
  else if (monthNamed(word)) readYearly(cursor, draft);
  else if (numberNamed(word)) readCounted(cursor, draft);
  else if (ordinalNamed(word)) readOrdinal(cursor, draft);
  else readUnit(cursor, draft, 1);
}

function readYearly(cursor: Cursor, draft: PartialRule): void {
  draft.freq = "yearly";
  draft.bymonth = cursor.read(monthNamed) ?? null;
  draft.bymonthday = cursor.read(numberNamed) ?? cursor.read(ordinalNamed) ?? null;
}

function readCounted(cursor: Cursor, draft: PartialRule): void {
  // Called only when the word is a number.
  const number = cursor.read(numberNamed)!;
  const month = cursor.read(monthNamed);
  if (month) Object.assign(draft, { freq: "yearly", bymonth: month, bymonthday: number });
  else Object.assign(draft, { interval: number, freq: cursor.read(unitNamed) ?? cursor.fail() });
}

/** Reads an ordinal: `third week` is an interval, `first monday` and `15th` are in a month, `second tuesday` is ambiguous. */
function readOrdinal(cursor: Cursor, draft: PartialRule): void {
  // Called only when the word is an ordinal number.
  const number = cursor.read(ordinalNamed)!;
  const unit = number > 0 ? cursor.read(unitNamed) : undefined;
  if (unit) {
    Object.assign(draft, { interval: number, freq: unit });
    return;
  }
  if (number > 1 && cursor.word !== undefined && daysNamed(cursor.word))
    cursor.fail("this is ambiguous: use 'every month on the ...' or 'every ... weeks on ...'");
  draft.freq = "monthly";
  readNth(cursor, draft, number);
}

function readUnit(cursor: Cursor, draft: PartialRule, interval: number): void {
  const unit = cursor.read(unitNamed);
  draft.interval = interval;
  draft.freq = unit ?? "weekly";
  if (!unit) draft.byday = readDays(cursor);
}

/** Refuses a part that replaces an earlier one, as in `every monday on friday`. */
function refuseSecond(cursor: Cursor, before: PartialRule, after: PartialRule): void {
  const isReplaced =
    (before.byday.length > 0 && after.byday !== before.byday) ||
    (["bymonthday", "bymonth", "bysetpos"] as const).some((part) => ![null, after[part]].includes(before[part]));
  if (isReplaced) cursor.fail("two parts contradict each other: separate rules with a semicolon");
}

const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function check(cursor: Cursor, { freq, bymonthday, bymonth, bysetpos }: PartialRule): void {
  // Months are 1 to 12.
  const most = longest[(bymonth ?? 1) - 1]!;
  if (bymonthday !== null && (bymonthday < 1 || bymonthday > most)) cursor.fail(`there is no day ${bymonthday} then`);
  if (bymonthday !== null && freq === "weekly") cursor.fail("weeks have no numbered days: use 'every month on ...'");
  if (bysetpos !== null && bysetpos > 5) cursor.fail("use 1st to 5th, or last");
}
