import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { addFiles, fileIssues } from "../files/attached-files.ts";
import { may } from "../pipeline/actor.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { unitPath } from "../pipeline/permissions.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { addAudience } from "../visibility/audience.ts";
import { groupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { abilityFor } from "../visibility/post-visibility.ts";
import { addPoll } from "./change-poll.ts";
import { placePost } from "./index-post.ts";
import { addMentions } from "./mentions.ts";
import { planPost } from "./plan-post.ts";
import { type Home, requirePostPlaces } from "./post-audience.ts";
import { mark } from "./post-marks.ts";
import { onePost } from "./read-posts.ts";
import { recount } from "./recount-post.ts";

type Create = Handlers<typeof contract>["create"];
type Input = Parameters<Create>[1];

export const create: Create = async (ctx, input) => {
  const { content_type, title, poll, mentions, files = [] } = input;
  const { home, path, issues } = await findHome(ctx, input);
  const { plan, issues: others } = await planPost(ctx, input, home);
  refuse({ ...issues, ...others, ...(await fileIssues(ctx, files)) });
  await requireHome(ctx, home, path);
  await requirePostPlaces(ctx, content_type, plan.audience);
  const audience_id = await addAudience(ctx, { ...plan.audience, ownerUnit: home.owner, personal: false });
  const { id } = await ctx.db
    .insertInto("posts")
    .values({
      ...plan.columns,
      audience_id,
      content_type,
      title,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (poll) await addPoll(ctx, id, poll);
  await addMentions(ctx, { post: id, comment: null }, mentions);
  await addFiles(ctx, "post", id, files);
  await placePost(ctx, id);
  // The author has seen the new post.
  await mark(ctx, id, { seen_at: ctx.now });
  await recount(ctx, id);
  return onePost(ctx, id);
};

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

/** Returns the unit and group that a new post belongs to, with validation errors. */
async function findHome(ctx: Ctx, { content_type = "debate", unit, group }: Partial<Input>) {
  const issues: FieldErrors = {};
  const owner = unit ?? ctx.actor.unitId;
  const path = owner === null ? undefined : await unitPath(ctx.db, owner);
  if (path === undefined) issues.unit = [owner === null ? "is required" : `is not an existing unit: ${owner}`];
  if (group !== undefined) {
    const found = await ctx.db
      .selectFrom("groups as g")
      .select("g.id")
      .where("g.id", "=", group)
      .where(isVisibleGroup("g", groupReader(ctx.actor)))
      .executeTakeFirst();
    if (content_type !== "debate") issues.group = ["is allowed for posts of content_type debate only"];
    else if (found === undefined) issues.group = [`is not an existing group: ${group}`];
  }
  const home: Home = { content_type, owner: owner ?? 0, group: group ?? null };
  return { home, path, issues };
}

/** Throws `forbidden` unless the actor may post there. Debates may be posted in the author's own groups and units. */
async function requireHome({ db, actor }: Ctx, { content_type, owner, group }: Home, path: string | undefined) {
  if (group !== null && !actor.admin) {
    const member = await db
      .selectFrom("group_members")
      .select("user_id")
      .where("group_id", "=", group)
      .where("user_id", "=", actor.id)
      .executeTakeFirst();
    if (member === undefined)
      throw new ServiceError("forbidden", `You are not a member of group ${group}; join it first.`);
  }
  const ability = abilityFor(content_type);
  if (content_type === "debate" && actor.units.includes(owner)) return;
  if (!may(actor, ability, path ?? null)) {
    throw new ServiceError("forbidden", `You don't have the ability ${ability} in unit ${owner}.`);
  }
}
