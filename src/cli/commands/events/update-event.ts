import { events as ops } from "../../../contract/events.ts";
import type { InputOf, OutputOf } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { OperationRun } from "../../kit/command-spec.ts";
import { isTimeOfDay, readTimeAhead } from "../../time/parse-time.ts";
import { clockOf } from "../../time/zone-clock.ts";
import { spanIn } from "./render-events.ts";

type Input = InputOf<typeof ops.update>;
type Event = OutputOf<typeof ops.get>;
type Flags = OperationRun["context"]["flags"];

const daySeconds = 86_400;

/** Updates an event. With --start alone it keeps its duration; a time of day is that on the day of the event. */
export async function updateEvent({ input, context, caller, finish }: OperationRun<typeof ops.update>): Promise<void> {
  const { flags, globals, terminal } = context;
  if (input.all_day || (flags.start === undefined && flags.end === undefined)) return void (await finish(input));
  const event = await caller.call(ops.get, { id: input.id });
  const first = event.dates[0];
  if (event.all_day && input.all_day === undefined)
    throw new UsageError(`event ${input.id} is an all-day event`, {
      hint: "move it with --date, or pass --no-all-day with --start and --end",
    });
  const moved = first ? { ...input, ...(await movedTimes(first, { input, flags, zone: globals.tz })) } : input;
  await finish(moved);
  const { start = first?.start, end = first?.end } = moved;
  if (typeof start !== "number" || typeof end !== "number") return;
  const which = (input.recurrence ?? event.recurrence).length > 0 ? "The first occurrence" : "It";
  terminal.note(`${which} ${flags.dryRun ? "would be" : "is"} on ${spanIn(globals.tz)({ start, end })}.`);
}

async function movedTimes(
  first: Event["dates"][number],
  { input, flags, zone }: { readonly input: Input; readonly flags: Flags; readonly zone: string | undefined },
): Promise<Pick<Input, "start" | "end">> {
  const clock = clockOf(zone);
  const start =
    flags.start !== undefined && isTimeOfDay(String(flags.start))
      ? await readTimeAhead(String(flags.start), "--start", { zone, after: clock.startOf(clock.day(first.start)) })
      : (input.start ?? undefined);
  if (flags.end !== undefined)
    return { start, end: await readTimeAhead(String(flags.end), "--end", { zone, after: start ?? first.start }) };
  if (start === undefined || input.end !== undefined) return { start };
  const seconds = first.end - first.start;
  // A clock change makes a day shorter or longer.
  const wall = clock.wall(start) + clock.wall(first.end) - clock.wall(first.start);
  return { start, end: seconds < daySeconds ? start + seconds : clock.instant(wall) };
}
