import { type Expression, type SelectQueryNode, sql } from "kysely";
import { normalizeReference } from "../../contract/common-schemas.ts";
import { maxMatches, type NameMatch } from "../../contract/names.ts";
import { rowsAs } from "../../store/bulk.ts";
import { afterPrefix } from "../../store/dialect.ts";
import { type Nested, nested, rowsIn } from "../../store/nested-rows.ts";
import type { Ctx } from "../pipeline/context.ts";

export type Matched<T> = T & { readonly text: string };

/** One way in which texts match. `find` searches for all of them together. */
interface MatchStep<T> {
  readonly match: NameMatch["match"];
  find(texts: readonly string[]): Promise<readonly Matched<T>[]>;
}

/**
 * Returns the matches of each text: of all steps that are exact, so that nobody takes over the name or e-mail address of
 * something else as a reference; those of the first step with similar ones for texts without any.
 */
export async function firstMatches<T extends { readonly id: number }>(
  texts: readonly string[],
  steps: readonly MatchStep<T>[],
) {
  const found = new Map<string, (Matched<T> & { readonly match: NameMatch["match"] })[]>();
  for (const { match, find } of steps) {
    const open = texts.filter((text) => match !== "similar" || !found.has(text));
    for (const row of open.length === 0 ? [] : await find(open)) {
      const known = found.get(row.text) ?? [];
      if (known.length < maxMatches && !known.some(({ id }) => id === row.id)) known.push({ ...row, match });
      found.set(row.text, known);
    }
  }
  return [...found.values()].flat();
}

/** Returns each text with its rows, by the value that the text stands for; texts without a value match nothing. */
export async function byValue<T>(
  texts: readonly string[],
  standsFor: (text: string) => string | undefined,
  find: (values: readonly string[]) => Promise<readonly (T & { readonly value: string | null })[]>,
): Promise<Matched<T>[]> {
  const asked = texts.flatMap((text) => {
    const value = standsFor(text);
    return value === undefined ? [] : [{ text, value }];
  });
  if (asked.length === 0) return [];
  const rows = Map.groupBy(await find(asked.map(({ value }) => value)), ({ value }) => value);
  return asked.flatMap(({ text, value }) => (rows.get(value) ?? []).map((row) => ({ ...row, text })));
}

/** Returns the steps that find things by keys, else by their beginnings. Only the empty text has the empty key. */
export function keySteps<T>(
  keyOf: (text: string) => string,
  find: (ranges: readonly KeyRange[]) => Promise<readonly Matched<T>[]>,
): MatchStep<T>[] {
  const key = (text: string) => (forcedReference(text) === undefined ? keyOf(text) || undefined : undefined);
  const beginning = (text: string) => (text === "" ? "" : key(text));
  return [
    { match: "name", find: (open) => find(rangesOf(open, key)) },
    { match: "similar", find: (open) => find(rangesOf(open, beginning, afterPrefix)) },
  ];
}

/** A text with the first and the last key that match it. Of things with the key `low`, those with greater IDs than `after` match. */
export interface KeyRange extends Record<"text" | "low" | "high", string> {
  readonly after: number;
}

/** Returns the ranges of texts by their keys; texts without a key match nothing. */
export function rangesOf(
  texts: readonly string[],
  keyOf: (text: string) => string | undefined,
  end = (key: string) => key,
): KeyRange[] {
  return texts.flatMap((text) => {
    const key = keyOf(text);
    return key === undefined ? [] : { text, low: key, high: end(key), after: 0 };
  });
}

/**
 * Divides ranges into parts that do not overlap, and searches each part once: all of the names that are hidden from the actor
 * would otherwise be read again for each text with which they begin.
 */
export async function findOnce<T>(
  ranges: readonly KeyRange[],
  find: (parts: readonly KeyRange[]) => Promise<readonly Matched<T>[]>,
): Promise<Matched<T>[]> {
  const ends = [...new Set(ranges.flatMap(({ low, high }) => [low, high]))];
  // In the order of the index; texts of JavaScript are compared by UTF-16.
  ends.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const placeOf = new Map(ends.map((end, place) => [end, place]));
  const parts = new Map<string, KeyRange>();
  const divided = ranges.map(({ text, low, high }) => {
    const [first = 0, last = 0] = [placeOf.get(low), placeOf.get(high)];
    const lows = ends.slice(first, Math.max(first + 1, last));
    for (const [at, key] of lows.entries())
      parts.set(key, { text: key, low: key, high: low === high ? high : (ends[first + at + 1] ?? high), after: 0 });
    return { text, lows };
  });
  const found = Map.groupBy(await find([...parts.values()]), ({ text }) => text);
  return divided.flatMap(({ text, lows }) =>
    lows.flatMap((low) => found.get(low) ?? []).map((row) => ({ ...row, text })),
  );
}

/** Returns the rows of a query that runs for each range, as `asked`, with the text of the range. */
export async function inEachRange<T>(
  { db }: Ctx,
  ranges: readonly KeyRange[],
  query: Expression<T> & { toOperationNode(): SelectQueryNode },
): Promise<Matched<T>[]> {
  if (ranges.length === 0) return [];
  const asked = rowsAs(db, "asked", { text: "text", low: "text", high: "text", after: "bigint" }, ranges);
  const { rows } = await sql<{ text: string; found: Nested<T> }>`
    select asked.text, ${nested(db, query)} as found from ${asked}`.execute(db);
  return rows.flatMap(({ text, found }) => rowsIn(found).map((row) => ({ ...row, text })));
}

/** Returns the text of `ref:TEXT`, which stands for a reference only. */
export const forcedReference = (text: string): string | undefined => /^ref:(.+)$/s.exec(text)?.[1];

export const referenceIn = (text: string): string => normalizeReference(forcedReference(text) ?? text);
