import type { Rule } from "../../contract/event-forms.ts";
import { clockOf } from "../clock.ts";
import { UsageError } from "../failure.ts";
import type { Input } from "../input.ts";
import { checkZone } from "../output.ts";
import { readDay } from "../times.ts";
import { lastDay } from "./ics/until.ts";
import { readPhrase } from "./repeat/read-phrase.ts";
import { readRrule } from "./repeat/rrule.ts";

/** Completes the input of an event: days in words, and how it repeats by --repeat and --rrule. */
export async function plan(input: Input, flags: Readonly<Record<string, unknown>>): Promise<Input> {
  const zone = checkZone(flags.tz as string | undefined);
  const planned = { ...input };
  if (typeof input.date === "string") planned.date = await readDay(input.date, "--date", zone);
  // A day without times can only be meant as a whole.
  if (typeof input.date === "string" && [input.all_day, input.start, input.end].every((value) => value === undefined))
    planned.all_day = true;
  const { repeat, rrule } = flags as { repeat?: string[]; rrule?: string[] };
  if (repeat === undefined && rrule === undefined) return planned;
  const rules: Rule[] = [];
  for (const text of repeat ?? [])
    rules.push(...(await readPhrase(text, "--repeat", (day) => readDay(day, "until", zone))));
  for (const text of rrule ?? []) rules.push(...rulesOf(text, planned.start, zone));
  return { ...planned, recurrence: rules };
}

function rulesOf(text: string, start: unknown, zone: string | undefined): readonly Rule[] {
  const clock = clockOf(zone);
  const times = typeof start === "number" ? { start, zone: clock } : { start: null, zone: null };
  const read = readRrule(text, (until) => lastDay(until, times, clock));
  if ("rules" in read) return read.rules;
  throw new UsageError(`--rrule '${text}': ${read.problems.join("; ")}`, {
    hint: "as in FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20261231, or in words by --repeat",
  });
}
