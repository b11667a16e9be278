import { normalizeDateTime } from "../../../contract/date-time.ts";
import type { Rule } from "../../../contract/event-schemas.ts";
import { isRecord } from "../../../contract/parse-json.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import type { Input } from "../../kit/read-input.ts";
import { checkZone } from "../../output/create-output.ts";
import { readDay, readTimeAhead } from "../../time/parse-time.ts";
import { readPhrase } from "../../time/recurrence/parse-phrase.ts";
import { rruleOf } from "../../time/recurrence/read-rrule.ts";

/** Completes the input of a post: choices from their titles, and the times and recurrence of its event from words. */
export async function completePost(input: Input, flags: Context["flags"]): Promise<Input> {
  const planned = { ...input };
  const choices = flags.choice as string[] | undefined;
  if (isRecord(planned.poll) || choices)
    planned.poll = withChoices(isRecord(planned.poll) ? planned.poll : {}, choices);
  const repeat = flags.repeat as string | undefined;
  if (input.content_type === "event" && input.event === undefined)
    throw new UsageError("missing --event-datetime-start (like '2026-12-31 14:00')", {
      hint: "--event-datetime-end is optional",
    });
  if (isRecord(planned.event) || repeat !== undefined) {
    planned.event = await withTimes(
      isRecord(planned.event) ? planned.event : {},
      repeat,
      checkZone(flags.tz as string),
    );
  }
  return planned;
}

/** Converts choices given as plain titles to the objects that the operation expects. */
function withChoices(poll: Input, titles: readonly string[] | undefined): Input {
  if (titles && poll.choices !== undefined) throw new UsageError("--choice and --poll-choices cannot be used together");
  const choices = titles ?? poll.choices;
  if (!Array.isArray(choices)) return poll;
  return { ...poll, choices: choices.map((choice) => (typeof choice === "string" ? { title: choice } : choice)) };
}

async function withTimes(event: Input, repeat: string | undefined, zone: string | undefined): Promise<Input> {
  const planned = { ...event };
  const start = await momentOf(event, "datetime_start", { zone });
  if (start) planned.datetime_start = start;
  const end = await momentOf(event, "datetime_end", { zone, after: start ? Date.parse(start) / 1000 : undefined });
  if (end) planned.datetime_end = end;
  if (repeat === undefined) return planned;
  if (repeat === "never") return { ...planned, repeat_rules: null };
  const rules = await readPhrase(repeat, "--repeat", (day) => readDay(day, "until", zone));
  return { ...planned, repeat_rules: ruleOf(rules, repeat) };
}

function ruleOf(rules: readonly Rule[], text: string): string {
  const [rule, ...others] = rules;
  if (rule === undefined || others.length > 0) {
    throw new UsageError(`--repeat '${text}': the event of a post can have only one rule`, {
      hint: "create a post for each rule",
    });
  }
  return rruleOf(rule);
}

/** Returns a time in the service's format. A time without a zone is in the event's zone, words in the user's zone. */
async function momentOf(
  event: Input,
  name: "datetime_start" | "datetime_end",
  ahead: { zone: string | undefined; after?: number | undefined },
): Promise<string | undefined> {
  const given = event[name];
  if (typeof given !== "string") return undefined;
  const text = given.trim();
  const normal = normalizeDateTime(text);
  if (normal !== undefined) return normal;
  if (event.all_day === true) return readDay(text, flagOf(name), ahead.zone);
  const instant = await readTimeAhead(text, flagOf(name), ahead);
  return new Date(instant * 1000).toISOString().replace(".000Z", "Z");
}

const flagOf = (name: string) => `--event-${name.replaceAll("_", "-")}`;
