import { isUtf8 } from "node:buffer";
import { pluralize } from "../../../../contract/count-text.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import type { Caller } from "../../../../contract/operation.ts";
import { timezones } from "../../../../contract/timezones.ts";
import { users } from "../../../../contract/users.ts";
import { UsageError } from "../../../errors/cli-errors.ts";
import { skippedRow } from "../../../file-io/file-rows.ts";
import { limitHeap } from "../../../file-io/heap-limit.ts";
import { createReport, type Report } from "../../../file-io/import-report.ts";
import { openSource } from "../../../file-io/open-source.ts";
import { batchesOf } from "../../../file-io/read-rows.ts";
import { openResults } from "../../../file-io/result-file.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { findByName } from "../../../kit/find-by-name.ts";
import { dryRunNote } from "../../../kit/note-done.ts";
import { splitList } from "../../../kit/parse-value.ts";
import { checkZone, createOutput, formatOf } from "../../../output/create-output.ts";
import { bytesAsText } from "../../../output/format-bytes.ts";
import { sanitizeLine } from "../../../terminal/sanitize.ts";
import { letInterrupt } from "../../../terminal/signals.ts";
import type { Terminal } from "../../../terminal/terminal.ts";
import { clockOf } from "../../../time/zone-clock.ts";
import type { ListedEvent } from "../walk-events.ts";
import { componentsOf } from "./ics-components.ts";
import { type IcsContext, zonesOf } from "./ics-zones.ts";
import { readEvent } from "./read-ics.ts";
import { type EventTarget, findByUid, saveEvent } from "./save-event.ts";

export async function importEvents(context: Context): Promise<void> {
  const { terminal, flags, args } = context;
  const signal = context.stopOnInterrupt();
  const given = targetOf(context, signal);
  await using results = await openResults(context, "at once");
  const report = createReport(terminal, results);
  const output = formatOf(context) === "json" ? createOutput({ sample: report.counts }, context) : undefined;
  let partial = 0;
  try {
    const text = await loadCalendar(String(args.file), terminal, signal);
    const { caller } = await context.connect();
    const audience = await audienceOf(context, caller);
    partial = await importBatches(text, { ...given, audience, caller }, report, context);
  } catch (error) {
    if (report.rows > 0 && !flags.dryRun)
      terminal.note(`${report.summary()}; the rest was not imported. Run the command again to continue.`);
    throw error;
  } finally {
    await report.flush(true);
    if (report.rows > 0) await results?.keep();
  }
  if (output) await output.one(report.counts);
  else terminal.note(report.summary());
  if (flags.dryRun) terminal.note(dryRunNote);
  requireComplete(report, partial);
}

/** Throws `validation_failed` when events were not imported, or `partial` events were imported without some of their parts. */
function requireComplete({ counts: { skipped }, rows }: Report, partial: number): void {
  if (skipped === 0 && partial === 0) return;
  const more = partial > 0 ? `, nor were parts of ${partial} more` : "";
  const were = skipped === 1 ? "was" : "were";
  const message =
    skipped > 0
      ? `${skipped} of ${pluralize(rows, "event")} ${were} not imported${more}.`
      : `Parts of ${pluralize(partial, "event")} were not imported.`;
  throw new ServiceError("validation_failed", message, {
    hint: "Each is listed above. Correct the file and import it again; events that are imported stay as they are.",
  });
}

function targetOf({ flags }: Context, signal: AbortSignal): Omit<EventTarget, "caller" | "audience"> {
  if (flags.type !== undefined && flags.keepTypes)
    throw new UsageError("--type and --keep-types cannot be used together");
  const type = (flags.type as ListedEvent["type"] | undefined) ?? "user";
  if ((flags.units || flags.userTypes) && type === "user" && !flags.keepTypes)
    throw new UsageError(
      "--units and --user-types cannot be used together with --type user: personal events have no audience",
    );
  return { type: flags.keepTypes ? undefined : type, dryRun: flags.dryRun === true, signal };
}

async function audienceOf({ flags, terminal }: Context, caller: Caller): Promise<EventTarget["audience"]> {
  const given = [
    { label: "--units", kind: "units", texts: splitList(flags.units) },
    { label: "--user-types", kind: "usertypes", texts: splitList(flags.userTypes) },
  ] as const;
  const [units = [], userTypes = []] = await findByName(given, { caller, terminal });
  return { ...(units.length > 0 && { units }), ...(userTypes.length > 0 && { userTypes }) };
}

/** Maximum length of the UIDs in one request, because they are part of its URL. */
const maxUidsLength = 6000;
const maxEvents = 100;

/** Imports the events. Returns the number of those that were imported without some of their parts. */
async function importBatches(text: string, target: EventTarget, report: Report, context: Context): Promise<number> {
  const { caller, signal } = target;
  const [me, instance] = await Promise.all([caller.call(users.current, {}), caller.call(timezones.list, {})]);
  const zones = zonesOf(componentsOf(text), checkZone(context.globals.tz));
  const read = readAll(text, { zones, clock: clockOf(instance.instance) });
  let done = 0;
  let partial = 0;
  for await (const batch of batchesOf(read, maxEvents, maxUidsLength)) {
    limitHeap();
    const uids = batch.flatMap(({ event }) => (typeof event === "string" ? [] : [event.uid]));
    const known = uids.length > 0 ? await findByUid(target, uids, me.id) : new Map<string, ListedEvent>();
    for (const { line, event } of batch) {
      await letInterrupt(signal);
      const isRead = typeof event !== "string";
      const outcome = isRead ? await saveEvent(event, known.get(event.uid), target) : skippedRow({ row: [event] });
      if (outcome.action !== "skipped" && outcome.fields) partial += 1;
      if (isRead && event.areDays && ["created", "changed"].includes(outcome.action))
        context.terminal.note(`line ${line}: the whole days of ${event.title} become a time from midnight to midnight`);
      report.add(line, outcome);
    }
    done += batch.length;
    context.terminal.progress(`importing  ${done.toLocaleString("en")} events`);
    await report.flush();
  }
  return partial;
}

/** Maximum size of a file in bytes; about 50,000 events. */
const maxBytes = 33_554_432;

/** Reads the text of an iCalendar file, or of stdin for `-`. */
async function loadCalendar(path: string, terminal: Terminal, signal: AbortSignal): Promise<string> {
  await using source = await openSource(path, terminal, { again: false, signal });
  const refuse = (why: string) => new ServiceError("validation_failed", `${sanitizeLine(source.label)} ${why}`);
  const tooLarge = () => refuse(`is larger than ${bytesAsText(maxBytes)}. Split it into smaller files.`);
  if ((source.size ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read()) {
    chunks.push(chunk);
    if (source.position > maxBytes) throw tooLarge();
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw refuse("is not encoded in UTF-8. Convert it to UTF-8 first.");
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  if (componentsOf(text).next().done) throw refuse("is not an iCalendar file: it has no BEGIN:VCALENDAR.");
  return text;
}

/**
 * Yields the components of a file as batches of one, each with its event, or the reason why it cannot be imported, and the length of
 * its UID in the URL of a request.
 */
function* readAll(text: string, context: IcsContext) {
  const lineOf = new Map<string, number>();
  for (const component of componentsOf(text)) {
    const { name, line } = component;
    if (name === "VTIMEZONE" || name === "VCALENDAR") continue;
    const event = name === "VEVENT" ? readEvent(component, context) : `is a ${name}, not an event`;
    const before = typeof event === "string" ? undefined : lineOf.get(event.uid);
    if (typeof event !== "string" && before === undefined) lineOf.set(event.uid, line);
    const read = before === undefined ? event : `has the same UID as the event of line ${before}`;
    yield [{ line, event: read, size: typeof read === "string" ? 0 : encodeURIComponent(read.uid).length + 5 }];
  }
}
