import { events as ops } from "../../../contract/events.ts";
import type { InputOf, OutputOf } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { OperationRun } from "../../kit/command-spec.ts";
import { isTimeOfDay, readTimeAhead } from "../../time/parse-time.ts";
import { clockOf, daySeconds } from "../../time/zone-clock.ts";
import { spanIn } from "./render-events.ts";

type Input = InputOf<typeof ops.update>;
type Event = OutputOf<typeof ops.get>;
type Flags = OperationRun["context"]["flags"];

/** Updates an event. With --start alone it keeps its duration; a time of day is that on the day of the event. */
export async function updateEvent(run: OperationRun<typeof ops.update>): Promise<void> {
  const { input, context, finish } = run;
  const { start, end, dryRun } = context.flags;
  if (input.all_day || (start === undefined && end === undefined)) return void (await finish(input));
  if (start === undefined || end === undefined || isTimeOfDay(String(start))) return moveEvent(run);
  // The service ignores the times of an event that stays an all-day event.
  await finish({ ...input, all_day: false });
  noteTimes(`The new time ${dryRun ? "would be" : "is"}`, input, context);
}

/** Updates an event whose new times depend on the present ones. */
async function moveEvent({ input, context, caller, finish }: OperationRun<typeof ops.update>): Promise<void> {
  const { flags, globals } = context;
  const event = await caller.call(ops.get, { id: input.id });
  const first = event.dates[0];
  if (event.all_day && input.all_day === undefined)
    throw new UsageError(`event ${input.id} is an all-day event`, {
      hint: "move it with --date, or pass --no-all-day with --start and --end",
    });
  const moved = { ...input, ...(await movedTimes(event, { input, flags, zone: globals.tz })) };
  await finish(moved);
  const which = (input.recurrence ?? event.recurrence).length > 0 ? "The first occurrence" : "It";
  const { start = first?.start, end = first?.end } = moved;
  noteTimes(`${which} ${flags.dryRun ? "would be" : "is"} on`, { start, end }, context);
}

function noteTimes(
  text: string,
  { start, end }: Pick<Input, "start" | "end">,
  { terminal, globals }: OperationRun["context"],
): void {
  if (typeof start !== "number" || typeof end !== "number") return;
  terminal.note(`${text} ${spanIn(globals.tz)({ start, end })}.`);
}

async function movedTimes(
  { dates: [first], date }: Event,
  { input, flags, zone }: { readonly input: Input; readonly flags: Flags; readonly zone: string | undefined },
): Promise<Pick<Input, "start" | "end">> {
  const clock = clockOf(zone);
  const before = first?.start ?? clock.startOf(date ?? "");
  const start =
    flags.start !== undefined && isTimeOfDay(String(flags.start))
      ? await readTimeAhead(String(flags.start), "--start", { zone, after: clock.startOf(clock.day(before)) })
      : (input.start ?? undefined);
  if (flags.end !== undefined)
    return { start, end: await readTimeAhead(String(flags.end), "--end", { zone, after: start ?? before }) };
  if (first === undefined || start === undefined || input.end !== undefined) return { start };
  const seconds = first.end - first.start;
  // A clock change makes a day shorter or longer.
  const wall = clock.wall(start) + clock.wall(first.end) - clock.wall(first.start);
  return { start, end: seconds < daySeconds ? start + seconds : clock.instant(wall) };
}
