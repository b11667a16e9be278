import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { addAudience, refuse } from "../audience.ts";
import type { Ctx, Handlers } from "../context.ts";
import { addFiles, fileMistakes } from "../files-store.ts";
import { groupReader, known } from "../group-membership.ts";
import { may, unitPath } from "../permissions.ts";
import { abilityFor } from "../post-visibility.ts";
import { recount } from "./counting.ts";
import { mark } from "./marks.ts";
import { addMentions } from "./mentions.ts";
import { placePost } from "./placing.ts";
import { planPost } from "./plan.ts";
import { addPoll } from "./poll-changes.ts";
import { type Home, requirePlaces } from "./readers.ts";
import { onePost } from "./reading.ts";

type Create = Handlers<typeof contract>["create"];
type Input = Parameters<Create>[1];

export const create: Create = async (ctx, input) => {
  const { content_type, title, poll, mentions, files = [] } = input;
  const { home, path, mistakes } = await findHome(ctx, input);
  const { plan, mistakes: others } = await planPost(ctx, input, home);
  refuse({ ...mistakes, ...others, ...(await fileMistakes(ctx, files)) });
  await requireHome(ctx, home, path);
  await requirePlaces(ctx, content_type, plan.audience);
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
  // Whoever wrote it has seen it.
  await mark(ctx, id, { seen_at: ctx.now });
  await recount(ctx, id);
  return onePost(ctx, id);
};

/** Where a new post is at home, and what is wrong with that. */
async function findHome(ctx: Ctx, { content_type, unit, group }: Input) {
  const mistakes: FieldErrors = {};
  const owner = unit ?? ctx.actor.unitId;
  const path = owner === null ? undefined : await unitPath(ctx.db, owner);
  if (path === undefined) mistakes.unit = [owner === null ? "is required" : `names no unit: ${owner}`];
  if (group !== undefined) {
    const found = await ctx.db
      .selectFrom("groups as g")
      .select("g.id")
      .where("g.id", "=", group)
      .where(known("g", groupReader(ctx.actor)))
      .executeTakeFirst();
    if (content_type !== "debate") mistakes.group = ["goes with posts of content_type debate"];
    else if (found === undefined) mistakes.group = [`names no group: ${group}`];
  }
  const home: Home = { content_type, owner: owner ?? 0, group: group ?? null };
  return { home, path, mistakes };
}

/** Debates are at home where their author is: in a group of his, or in a unit of his. */
async function requireHome({ db, actor }: Ctx, { content_type, owner, group }: Home, path: string | undefined) {
  if (group !== null && !actor.admin) {
    const member = await db
      .selectFrom("group_members")
      .select("user_id")
      .where("group_id", "=", group)
      .where("user_id", "=", actor.id)
      .executeTakeFirst();
    if (member === undefined)
      throw new ServiceError("forbidden", `Join group ${group} first: you are no member of it.`);
  }
  const ability = abilityFor(content_type);
  if (content_type === "debate" && actor.units.includes(owner)) return;
  if (!may(actor, ability, path ?? null)) {
    throw new ServiceError("forbidden", `This needs the ability ${ability} in unit ${owner}, or in a unit above it.`);
  }
}
