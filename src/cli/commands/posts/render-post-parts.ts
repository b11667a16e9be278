import { namesOf } from "../../output/people-names.ts";
import { pluralize } from "../../output/pluralize.ts";
import { attachmentLine, type Frame } from "../../output/text-layout.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { phraseOf } from "../../time/recurrence/describe-rule.ts";
import { basicDay, readRrule } from "../../time/recurrence/read-rrule.ts";
import type { ShownPost } from "./post-labels.ts";

const shownDates = 4;

type PostEvent = NonNullable<ShownPost["event"]>;

export function eventLines(event: PostEvent, { paint, width, time }: Frame): string[] {
  const { all_day, datetime_start, datetime_end, location, link, dates, participation, timezone } = event;
  const wall = (text: string) => (all_day ? text : text.slice(0, 16).replace("T", " "));
  const [start, end] = [wall(datetime_start), wall(datetime_end)];
  const isSameDay = start.slice(0, 10) === end.slice(0, 10);
  const span = start === end ? start : `${start} – ${isSameDay && !all_day ? end.slice(11) : end}`;
  const later = dates.slice(1, shownDates + 1).map((date) => time(date.start));
  const more = dates.length - 1 - later.length;
  const { rsvp, invited, accepted, rejected } = participation;
  const who = `${invited} invited, ${accepted} accepted, ${rejected} rejected${rsvp ? `; you ${rsvp}` : ""}`;
  const facts: Readonly<Record<string, string | false | null>> = {
    When: all_day ? span : `${span} (${timezone})`,
    Repeats: event.rrule !== null && repeated(event.rrule),
    Further: later.length > 0 && later.join(", ") + (more > 0 ? ` and ${more} more` : ""),
    Where: location,
    Link: link,
    Who: participation.enabled && who,
  };
  const rows = Object.entries(facts).flatMap(([name, text]) => (typeof text === "string" ? [{ name, text }] : []));
  const wide = Math.max(...rows.map(({ name }) => name.length)) + 2;
  return rows.flatMap(({ name, text }) =>
    wrapText(sanitizeLine(text), Math.max(width - wide, 20)).map(
      (line, at) => (at === 0 ? paint.dim(name.padEnd(wide)) : " ".repeat(wide)) + line,
    ),
  );
}

/** Describes a rule in words, or returns it unchanged when that is not possible. */
function repeated(rrule: string): string {
  const day = (until: string) => `${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`;
  const read = readRrule(rrule, (until) => (basicDay(day(until)) === until.slice(0, 8) ? day(until) : undefined));
  return "rules" in read ? phraseOf(read.rules) : rrule;
}

export function footLines(post: ShownPost, { paint, width }: Frame): string[] {
  const { files, mentions, stats, confirm, interaction, comments } = post;
  const own = Object.entries(interaction).flatMap(([name, is]) => (is ? [name] : []));
  const counts = [
    pluralize(stats.likes, "like"),
    comments.enabled || stats.comments > 0 ? pluralize(stats.comments, "comment") : "comments off",
    ...(confirm.enabled ? [`confirmed by ${confirm.confirmed} of ${confirm.total}`] : []),
    ...(own.length > 0 ? [`you: ${own.join(", ")}`] : []),
  ];
  const attached = files.map((file) => attachmentLine(file, `file ${file.id}`));
  const named = mentions.length > 0 ? [`mentions ${namesOf(mentions)}`] : [];
  return [...attached, ...named, counts.join(" · ")].flatMap((line) => wrapText(line, width)).map(paint.dim);
}
