import { monthLengths, type Rule, weekdays } from "../../../contract/event-schemas.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import {
  daysNamed,
  frequencyNamed,
  inOrder,
  meant,
  monthNamed,
  numberNamed,
  ordinalNamed,
  unitNamed,
  type Weekday,
} from "./recurrence-words.ts";

type PartialRule = { -readonly [K in keyof Rule]: Rule[K] };

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

function check(cursor: Cursor, { freq, bymonthday, bymonth, bysetpos }: PartialRule): void {
  // Months are 1 to 12.
  const max = monthLengths[(bymonth ?? 1) - 1]!;
  if (bymonthday !== null && (bymonthday < 1 || bymonthday > max))
    cursor.fail(`${bymonth === null ? "no month has" : "this month does not have"} a day ${bymonthday}`);
  if (bymonthday !== null && freq === "weekly") cursor.fail("weeks have no numbered days: use 'every month on ...'");
  if (bysetpos !== null && bysetpos > 5) cursor.fail("use 1st to 5th, or last");
}

/** Reads one further part of a rule: `on ...`, `in december`, `of the month`, or `the 13th` after days. */
function readMore(cursor: Cursor, draft: PartialRule): void {
  if (cursor.word === "at") cursor.fail("the time of day comes from --start");
  if (cursor.take("on")) readOn(cursor, draft);
  else if (cursor.take("in", "of")) readMonth(cursor, draft);
  else if (cursor.take("the")) draft.bymonthday = cursor.read(ordinalNamed) ?? cursor.fail();
  else cursor.fail();
}

function readOn(cursor: Cursor, draft: PartialRule): void {
  cursor.take("the");
  const month = cursor.read(monthNamed);
  const number = cursor.read(numberNamed) ?? cursor.read(ordinalNamed);
  if (month) Object.assign(draft, { bymonth: month, bymonthday: number ?? cursor.fail() });
  else if (number === undefined) draft.byday = readDays(cursor);
  else readNth(cursor, draft, number);
}

/** Reads the part after an ordinal: weekdays; otherwise the ordinal is a day of the month. */
function readNth(cursor: Cursor, draft: PartialRule, number: number): void {
  if (cursor.take("day", "days")) Object.assign(draft, { byday: [...weekdays], bysetpos: number });
  else if (cursor.word !== undefined && daysNamed(cursor.word)) {
    Object.assign(draft, { byday: readDays(cursor), bysetpos: number });
  } else if (number === -1) cursor.fail(cursor.word === undefined ? "the last what?" : undefined);
  else {
    Object.assign(draft, { bymonthday: number, bymonth: cursor.read(monthNamed) ?? draft.bymonth });
    if (cursor.word === "and") cursor.fail("each rule takes one day of the month: separate rules with a semicolon");
  }
}

function readMonth(cursor: Cursor, draft: PartialRule): void {
  const month = cursor.read(monthNamed);
  if (month) draft.bymonth = month;
  else {
    cursor.take("the", "each", "every");
    // `of the month` only repeats the frequency.
    if (!cursor.read((word) => (unitNamed(word) === draft.freq ? word : undefined))) cursor.fail();
  }
}

/** Reads weekdays: `monday`, `monday to friday`, `tuesday, thursday and saturday`. */
function readDays(cursor: Cursor): Weekday[] {
  const days: Weekday[] = [];
  do {
    const some = cursor.read(daysNamed) ?? cursor.fail();
    if (cursor.take("day", "days")) days.push(...some);
    else if (cursor.take("to")) days.push(...range(some[0], (cursor.read(daysNamed) ?? cursor.fail())[0]));
    else days.push(...some);
  } while (cursor.take("and"));
  return inOrder(days);
}

function range(from: Weekday, to: Weekday): Weekday[] {
  const first = weekdays.indexOf(from);
  const length = ((weekdays.indexOf(to) - first + 7) % 7) + 1;
  return [...weekdays, ...weekdays].slice(first, first + length);
}

type Cursor = ReturnType<typeof createCursor>;

/** Creates a cursor over the words of a phrase. Lists are normalized to `and`, ranges to `to`. */
function createCursor(phrase: string, fail: (message: string, word?: string) => never) {
  const words = phrase
    .toLowerCase()
    .replace(/(?<=[a-z])\s*[-–]\s*(?=[a-z])/g, " to ")
    .replace(/(\s*(,|&|\b(and|or)\b)\s*)+/g, " and ")
    .split(/\s+/)
    .filter(Boolean);
  let at = 0;
  return {
    get word(): string | undefined {
      return words[at];
    },
    /** Skips the current word and returns true if it is one of these. */
    take(...wanted: readonly string[]): boolean {
      const word = words[at];
      const found = word !== undefined && wanted.includes(word);
      if (found) at += 1;
      return found;
    },
    /** Skips the current word if `read` returns a value for it; returns that value. */
    read<T>(read: (word: string) => T | undefined): T | undefined {
      const word = words[at];
      const value = word === undefined ? undefined : read(word);
      if (value !== undefined) at += 1;
      return value;
    },
    /** Throws: with the message, or because the current word is not understood. */
    fail(message?: string): never {
      const word = words[at];
      if (message !== undefined) return fail(message);
      return fail(word === undefined ? "the phrase is incomplete" : `'${word}' is not understood`, word);
    },
  };
}
