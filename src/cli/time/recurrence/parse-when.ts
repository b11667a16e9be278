import { type Rule, weekdays } from "../../../contract/event-schemas.ts";
import {
  daysNamed,
  inOrder,
  monthNamed,
  numberNamed,
  ordinalNamed,
  unitNamed,
  type Weekday,
} from "./recurrence-words.ts";
import type { Cursor } from "./word-cursor.ts";

export type PartialRule = { -readonly [K in keyof Rule]: Rule[K] };

/** Reads one further part of a rule: `on ...`, `in december`, `of the month`, or `the 13th` after days. */
export function readMore(cursor: Cursor, draft: PartialRule): void {
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
export function readNth(cursor: Cursor, draft: PartialRule, number: number): void {
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
export function readDays(cursor: Cursor): Weekday[] {
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
