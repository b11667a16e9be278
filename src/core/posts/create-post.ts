import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { findRow, insertRow, insertRows, withoutUndefined } from "../../store/bulk.ts";
import { titleLookupKey } from "../directory/text-keys.ts";
import { addFiles, fileIssues } from "../files/attached-files.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { requireAbility, unitPath } from "../pipeline/permissions.ts";
import { addAudience } from "../visibility/audience.ts";
import { placesOf } from "../visibility/feed-index.ts";
import { groupIssues } from "../visibility/group-visibility.ts";
import { abilityFor } from "../visibility/post-visibility.ts";
import { addPostPlaces } from "./index-post.ts";
import { addMentions } from "./mentions.ts";
import { planPost } from "./plan-post.ts";
import { addPoll } from "./polls.ts";
import { type Home, requirePostPlaces } from "./post-audience.ts";
import { onePost } from "./read-posts.ts";
import { readerCount } from "./recount-post.ts";

type Create = Handlers<typeof contract>["create"];
type Input = InputOf<typeof contract.create>;

export const create: Create = async (ctx, input) => {
  const { content_type, title, poll, mentions, files = [] } = input;
  const { home, path, issues } = await findHome(ctx, input);
  const { plan, issues: others } = await planPost(ctx, input, home);
  requireNoIssues({ ...issues, ...others, ...(await fileIssues(ctx, files)) });
  await requireHome(ctx, home, path);
  await requirePostPlaces(ctx, content_type, plan.audience);
  const audience_id = await addAudience(ctx, { ...plan.audience, ownerUnit: home.owner, personal: false });
  const kind = { audience_id, content_type, title, title_key: titleLookupKey(title) };
  const row = { ...newPost, ...withoutUndefined(plan.columns), ...kind, created_at: ctx.now, updated_at: ctx.now };
  const id = await insertRow(ctx.db, "posts", { ...row, reader_count: await readerCount(ctx, row) });
  if (poll) await addPoll(ctx, id, poll);
  await addMentions(ctx, { post: id, comment: null }, mentions);
  await addFiles(ctx, "post", id, files);
  const places = placesOf(plan.audience, { author: ctx.actor.id, owner: home.owner });
  await addPostPlaces(ctx, { ...row, id }, places);
  // The author has seen the new post.
  await insertRows(ctx.db, "post_marks", [{ post_id: id, user_id: ctx.actor.id, seen_at: ctx.now }]);
  return onePost(ctx, id);
};

/** Defaults of columns that are not given, so that all new rows have the same columns. */
const newPost = {
  body: "",
  show_in_feed: 1,
  important: 0,
  comments_enabled: 1,
  confirm_enabled: 0,
  pinned_main_feed: null,
  pinned_until: null,
  event: null,
} as const;

/** Returns the issues of those fields of a new post that depend on each other or on data; see `Checks`. */
export const newPostIssues: NonNullable<Checks<typeof contract>["create"]> = async (ctx, known) => {
  const { content_type, ...fields } = known;
  const { home, issues } = await findHome(ctx, known);
  if (content_type !== undefined)
    return { ...issues, ...(await planPost(ctx, fields, { ...home, content_type })).issues };
  // Without its kind, a post may be an event.
  const { event: _, ...others } = (await planPost(ctx, fields, { ...home, content_type: "event" })).issues;
  return { ...issues, ...others };
};

async function findHome(ctx: Ctx, { content_type = "debate", unit, group }: Partial<Input>) {
  const issues: FieldIssues = {};
  const owner = unit ?? ctx.actor.unitId;
  const path = owner === null ? undefined : await unitPath(ctx.db, owner);
  if (path === undefined) issues.unit = [owner === null ? "is required" : `is not an existing unit: ${owner}`];
  if (content_type === "debate") Object.assign(issues, await groupIssues(ctx, group));
  else if (group !== undefined) issues.group = ["is allowed for posts of content_type debate only"];
  const home: Home = { content_type, owner: owner ?? 0, group: group ?? null };
  return { home, path, issues };
}

/** Throws `forbidden` unless the actor may post there. Debates may be posted in the author's own groups and units. */
async function requireHome({ db, actor }: Ctx, { content_type, owner, group }: Home, path: string | undefined) {
  if (group !== null && !actor.admin) {
    const membership = await findRow(db, "group_members", { group_id: group, user_id: actor.id }, ["role"]);
    if (!membership) throw new ServiceError("forbidden", `You are not a member of group ${group}; join it first.`);
  }
  if (content_type === "debate" && actor.units.includes(owner)) return;
  requireAbility(actor, abilityFor(content_type), path ?? null);
}
