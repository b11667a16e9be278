import { pluralize } from "../../../contract/count-text.ts";
import type { OutputOf } from "../../../contract/operation.ts";
import type { posts } from "../../../contract/posts.ts";
import type { Item } from "../../output/item.ts";
import { pageOrWrite } from "../../output/page-or-write.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { attachmentLine, type Frame, frameOf, namesOf } from "../../output/text-layout.ts";
import { markdownLines } from "../../terminal/markdown/markdown.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { phraseOf } from "../../time/recurrence/describe-rule.ts";
import { basicDay, readRrule } from "../../time/recurrence/read-rrule.ts";
import { commentLines } from "./render-comments.ts";
import { pollLines } from "./render-poll.ts";

export const postList: Renderer<ShownPost> = (options) => {
  const columns = ["id", "when", "kind", "title", "author", "for", "about"];
  const table = createTableWriter({ ...options, columns, isUncut: (name) => name === "id" || name === "when" });
  const { time } = frameOf(options);
  const rowOf = (post: ShownPost): Item => ({
    id: post.id,
    when: time(post.publish.published_at ?? post.publish.publish_on ?? post.publish.updated_at),
    kind: kindOf(post),
    title: `${post.seen_by_user ? "" : "• "}${post.title}`,
    author: post.author.name,
    for: readersOf(post),
    about: [stateOf(post, time), ...signsOf(post, time)].filter(Boolean).join(", "),
  });
  return { ...table, page: (items) => table.page(items.map(rowOf)) };
};

/** Renders one post for reading, in the pager when it is longer than the screen. */
export const postForm: Renderer<ShownPost> = (options) => {
  const frame = frameOf(options);
  return {
    ...createTableWriter(options),
    async one(item) {
      await pageOrWrite(`${(await postLines(item, frame)).join("\n")}\n`, options.terminal);
    },
  };
};

async function postLines(post: ShownPost, frame: Frame): Promise<string[]> {
  const parts = [
    headLines(post, frame),
    post.event === null ? [] : eventLines(post.event, frame),
    post.body.trim() === "" ? [] : await markdownLines(post.body, frame),
    post.poll === null ? [] : pollLines(post.poll, frame),
    footLines(post, frame),
    post.comments.latest === null ? [] : commentLines(post.comments.latest, frame),
  ];
  return parts.filter((lines) => lines.length > 0).flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function headLines(post: ShownPost, { paint, width, time }: Frame): string[] {
  const { published_at, updated_at } = post.publish;
  const when = time(published_at ?? updated_at);
  const about = [kindOf(post), sanitizeLine(post.author.name), when, `for ${readersOf(post)}`, `ID ${post.id}`];
  const signs = [stateOf(post, time), ...signsOf(post, time), ...(post.has_unseen_mention ? ["mentions you"] : [])];
  return [
    ...wrapText(sanitizeLine(post.title), width).map(paint.strong),
    ...wrapText(about.join(" · "), width).map(paint.dim),
    ...wrapText(signs.filter(Boolean).join(" · "), width).filter(Boolean),
  ];
}

const shownDates = 4;

type PostEvent = NonNullable<ShownPost["event"]>;

function eventLines(event: PostEvent, { paint, width, time }: Frame): string[] {
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

function footLines(post: ShownPost, { paint, width }: Frame): string[] {
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

type ShownPost = OutputOf<typeof posts.get>;

const kinds: Readonly<Record<ShownPost["content_type"], string>> = { news: "News", debate: "Debate", event: "Event" };
const maxReaders = 5;

const kindOf = ({ content_type }: ShownPost): string => kinds[content_type];

/** Describes the audience of a post, for example "Sales and below, only Manager". */
function readersOf({ visibility, sharing, group }: ShownPost): string {
  const { all_units, units, userTypes } = visibility;
  const places = units.map(({ name, falldown }) => ({ name: falldown ? `${name} and below` : name }));
  const whom = all_units ? "everybody" : group ? group.name : namesOf(places, maxReaders);
  const only = userTypes.length > 0 ? `, only ${namesOf(userTypes, maxReaders)}` : "";
  const shared = sharing.shares.length;
  return sanitizeLine(`${whom}${only}${shared > 0 ? `, shared with ${shared}` : ""}`);
}

/** Describes the publication state: empty for a published post without an end. */
function stateOf({ publish }: ShownPost, time: Frame["time"]): string {
  const { status, published_at, publish_on, unpublish_on } = publish;
  if (status) return unpublish_on === null ? "" : `until ${time(unpublish_on)}`;
  if (publish_on !== null && published_at === null) return `scheduled for ${time(publish_on)}`;
  return unpublish_on !== null && published_at !== null ? `unpublished since ${time(unpublish_on)}` : "draft";
}

function signsOf({ important, actively_requires_action, pinned }: ShownPost, time: Frame["time"]): string[] {
  const until = pinned?.until ? ` until ${time(pinned.until)}` : "";
  return [
    ...(important ? ["important"] : []),
    ...(actively_requires_action ? ["requires action"] : []),
    ...(pinned ? [`pinned${until}`] : []),
  ];
}
