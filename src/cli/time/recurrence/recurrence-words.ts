import { frequencies, type Rule, weekdays } from "../../../contract/event-schemas.ts";
import { suggestName } from "../../errors/nearest-name.ts";

export type Weekday = (typeof weekdays)[number];

type Weekdays = readonly [Weekday, ...Weekday[]];

export const workdays: Weekdays = ["MO", "TU", "WE", "TH", "FR"];
export const weekend: Weekdays = ["SA", "SU"];
export const dayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
export const monthNames = "January February March April May June July August September October November December".split(
  " ",
);
export const unitNames: Readonly<Record<Rule["freq"], string>> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
  yearly: "year",
};

const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const ordinals = ["first", "second", "third", "fourth", "fifth"];

const vocabulary = [
  ...dayNames,
  ...monthNames,
  ...frequencies,
  ...Object.values(unitNames),
  ...ordinals,
  ..."every other weekday weekend last until times".split(" "),
].map((word) => word.toLowerCase());

/** Returns the word that was probably meant; undefined for known words. */
export const meant = (word: string): string | undefined =>
  vocabulary.includes(word) ? undefined : suggestName(word, vocabulary);

/** Returns the index of a name given in full or by at least its first three letters; -1 when there is none. */
const placeOf = (word: string, names: readonly string[]): number =>
  word.length < 3 ? -1 : names.findIndex((name) => name.toLowerCase().startsWith(word));

const singular = (word: string): string => word.replace(/(?<=.{3})s$/, "");

/** Returns the weekdays of a word: `tuesday`, `tue`, `weekdays`, `weekend`. */
export function daysNamed(word: string): Weekdays | undefined {
  const one = singular(word);
  if (one === "weekday" || one === "workday") return workdays;
  if (one === "weekend") return weekend;
  const day = weekdays[placeOf(one, dayNames)];
  return day && [day];
}

/** Returns 1 to 12. */
export function monthNamed(word: string): number | undefined {
  const at = placeOf(word, monthNames);
  return at < 0 ? undefined : at + 1;
}

export const unitNamed = (word: string): Rule["freq"] | undefined =>
  frequencies.find((freq) => unitNames[freq] === singular(word));

export const frequencyNamed = (word: string): Rule["freq"] | undefined =>
  word === "annually" ? "yearly" : frequencies.find((freq) => freq === word);

export function numberNamed(word: string): number | undefined {
  if (/^\d{1,6}$/.test(word)) return Number(word);
  const at = numbers.indexOf(word);
  return at < 0 ? undefined : at + 1;
}

/** Returns 2 for `2nd` and `second`, -1 for `last`. */
export function ordinalNamed(word: string): number | undefined {
  if (word === "last") return -1;
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(word) ?? [];
  if (digits !== undefined) return Number(digits);
  const at = ordinals.indexOf(word);
  return at < 0 ? undefined : at + 1;
}

/** Formats 2 as `2nd` and -1 as `last`. */
export function ordinal(number: number): string {
  if (number === -1) return "last";
  const isTeen = Math.floor(number / 10) % 10 === 1;
  return `${number}${(!isTeen && [undefined, "st", "nd", "rd"][number % 10]) || "th"}`;
}

export const inOrder = (days: readonly Weekday[]): Weekday[] => weekdays.filter((day) => days.includes(day));

export const isSame = (one: readonly Weekday[], other: readonly Weekday[]): boolean =>
  one.length === other.length && one.every((day) => other.includes(day));
