import type { FieldIssues } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { flagValue } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { Audience } from "../visibility/audience.ts";
import type { PostRow } from "./find-post.ts";
import { mentionedIn, mentionIssues } from "./mentions.ts";
import { type Poll, pollIssues } from "./polls.ts";
import { changedAudience, type Home, initialAudience, readerIssues } from "./post-audience.ts";
import { changePublication, publicationIssues, unpublished } from "./publication.ts";
import { storedEvent } from "./stored-event.ts";

export type PostFields = Partial<Omit<InputOf<typeof contract.update>, "id">>;

export interface PostBefore {
  readonly row: PostRow;
  readonly audience: Audience;
  readonly poll: Poll | undefined;
}

/** Plans the changed columns of a post (undefined ones do not change) and its audience, and finds all issues. */
export async function planPost(ctx: Ctx, fields: PostFields, home: Home, before?: PostBefore) {
  const { row, audience: known, poll } = before ?? {};
  const { event, issues: eventIssues } = await planEvent(ctx, fields, home, row);
  const times = timeColumns(ctx, fields, row);
  const audience = changedAudience(ctx, known ?? initialAudience(home, fields), fields);
  const mentioned = row === undefined || fields.mentions === undefined ? [] : await mentionedIn(ctx, row.id);
  const issues: FieldIssues = {
    ...eventIssues,
    ...visibilityIssues(fields, home),
    ...(await readerIssues(ctx, fields, known)),
    ...(await mentionIssues(ctx, fields.mentions, mentioned)),
    ...(fields.publish && publicationIssues(times, fields.publish)),
    ...pinIssues(ctx, fields),
    ...(fields.poll && pollIssues(fields.poll, poll)),
  };
  const json = event === null ? undefined : JSON.stringify(event);
  const columns = { ...plainColumns(fields), ...times, ...(json !== undefined && { event: json }) };
  return { plan: { columns, audience }, issues };
}

async function planEvent(ctx: Ctx, { event: fields }: PostFields, { content_type }: Home, row: PostRow | undefined) {
  const before = row === undefined ? null : storedEvent(row);
  if (content_type !== "event") {
    const issues: FieldIssues =
      fields === undefined ? {} : { event: ["is allowed for posts of content_type event only"] };
    return { event: null, issues };
  }
  if (fields !== undefined)
    return (await import("./change-post-event.ts")).changePostEvent(before, fields, ctx.settings.timezone);
  const issues: FieldIssues = before === null ? { event: ["is required for posts of content_type event"] } : {};
  return { event: before, issues };
}

function visibilityIssues({ visibility }: PostFields, { group }: Home): FieldIssues {
  if (group === null || visibility === undefined) return {};
  return { visibility: ["must not be given for a post in a group, whose members can read it"] };
}

function plainColumns(fields: PostFields) {
  return {
    title: fields.title,
    body: fields.body,
    show_in_feed: flagValue(fields.show_in_feed),
    important: flagValue(fields.important),
    comments_enabled: flagValue(fields.comments?.enabled),
    confirm_enabled: flagValue(fields.confirm?.enabled),
  };
}

/** Returns the publication and pin columns. A new post is published immediately by default. */
function timeColumns({ now }: Ctx, { publish, pinned }: PostFields, row: PostRow | undefined) {
  const { draft, publish_on, unpublish_on, published_at } =
    row === undefined
      ? changePublication(unpublished, { status: true, ...publish }, now)
      : changePublication(row, publish ?? {}, now);
  const listed_at = published_at ?? row?.created_at ?? now;
  return { draft, publish_on, unpublish_on, published_at, listed_at, ...pinColumns(now, pinned, row) };
}

function pinColumns(now: number, pinned: PostFields["pinned"], row: PostRow | undefined) {
  if (pinned === undefined) return {};
  if (pinned === null) return { pinned_main_feed: null, pinned_until: null };
  const isOver = row !== undefined && row.pinned_until !== null && row.pinned_until <= now;
  const { pinned_main_feed = null, pinned_until = null } = isOver ? {} : (row ?? {});
  return {
    pinned_main_feed: flagValue(pinned.show_in_main_feed) ?? pinned_main_feed ?? (0 as const),
    pinned_until: pinned.until === undefined ? pinned_until : pinned.until,
  };
}

function pinIssues({ now }: Ctx, { pinned }: PostFields): FieldIssues {
  const until = pinned?.until;
  return typeof until === "number" && until <= now ? { "pinned.until": ["must be in the future"] } : {};
}
