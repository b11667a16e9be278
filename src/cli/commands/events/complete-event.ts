import type { Rule } from "../../../contract/event-schemas.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Input } from "../../kit/read-input.ts";
import { checkZone } from "../../output/create-output.ts";
import { readDay } from "../../time/parse-time.ts";
import { readPhrase } from "../../time/recurrence/parse-phrase.ts";
import { readRrule } from "../../time/recurrence/read-rrule.ts";
import { clockOf } from "../../time/zone-clock.ts";
import { lastDay } from "./ics/ics-times.ts";

export async function completeEvent(input: Input, flags: Readonly<Record<string, unknown>>): Promise<Input> {
  const zone = checkZone(flags.tz as string | undefined);
  const planned = { ...input };
  if (typeof input.date === "string") planned.date = await readDay(input.date, "--date", zone);
  // A date without times means a whole-day event.
  if (typeof input.date === "string" && input.all_day === undefined) {
    const time = ["start", "end"].find((name) => input[name] !== undefined);
    if (time !== undefined) throw new UsageError(`--date and --${time} cannot be used together`);
    planned.all_day = true;
  }
  const { repeat, rrule } = flags as { repeat?: string[]; rrule?: string[] };
  if (repeat === undefined && rrule === undefined) return planned;
  if (flags.recurrence !== undefined)
    throw new UsageError(`--recurrence and --${repeat ? "repeat" : "rrule"} cannot be used together`);
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
  throw new UsageError(`--rrule '${text}': ${read.issues.join("; ")}`, {
    hint: "for example FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20261231, or in words with --repeat",
  });
}
