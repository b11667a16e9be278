import { ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { groups as contract } from "../../contract/groups.ts";
import { deleteRows, insertRow, updateRow, updateRows } from "../../store/bulk.ts";
import { addMember } from "../directory/group-memberships.ts";
import { markChanged } from "../directory/mark-changed.ts";
import { removeFiles } from "../files/attached-files.ts";
import { imageHandlers } from "../files/owner-image.ts";
import { inPortions } from "../pipeline/change-in-portions.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Admission, Ctx, Handlers } from "../pipeline/context.ts";
import { groupMemberHandlers } from "./group-members.ts";
import { findOwnGroup, groupReadHandlers, oneGroup } from "./read-groups.ts";

const image = imageHandlers("group", findOwnGroup);

export const groups: Handlers<typeof contract> = {
  ...groupReadHandlers,

  async create(ctx, { name, description = "", privacy }) {
    const id = await insertRow(ctx.db, "groups", {
      name,
      name_key: fold(name),
      description,
      privacy,
      author_id: ctx.actor.id,
      created_at: ctx.now,
      updated_at: ctx.now,
    });
    await addMember(ctx, id, ctx.actor.id, "administrator");
    return oneGroup(ctx, id);
  },

  async update(ctx, { id, ...fields }) {
    const name_key = fields.name === undefined ? undefined : fold(fields.name);
    const changes = listChangedColumns(await findOwnGroup(ctx, id), { ...fields, name_key });
    if (Object.keys(changes).length > 0) await updateRow(ctx.db, "groups", id, { ...changes, updated_at: ctx.now });
    return oneGroup(ctx, id);
  },

  async delete(ctx, { id }) {
    await findOwnGroup(ctx, id);
    const posts = await countPosts(ctx, id);
    if (posts > 0) {
      const many = posts > maxCounted ? `more than ${maxCounted} posts` : posts === 1 ? "1 post" : `${posts} posts`;
      throw new ServiceError("conflict", `Group ${id} has ${many}; delete them first.`);
    }
    await removeMembers(ctx, id);
    // Deleted posts of the group were addressed to its members; nobody can see these posts any more.
    await updateRows(ctx.db, "audiences", { group_id: id }, { group_id: null });
    await removeFiles(ctx, "group", [id]);
    await deleteRows(ctx.db, "groups", { id });
  },

  ...groupMemberHandlers,
  imageSet: image.set,
  imageDelete: image.delete,
};

export const admission: Admission<typeof contract> = {
  imageSet: async (ctx, { id }) => id !== undefined && findOwnGroup(ctx, id),
};

/** Counting stops after this number of posts. */
const maxCounted = 1000;

async function removeMembers(ctx: Ctx, group: number): Promise<void> {
  const rows = { table: "group_members", column: "group_id", owner: group, key: "user_id" } as const;
  await inPortions(ctx.db, rows, async (some) => {
    const members = await ctx.db.deleteFrom("group_members").where(some).returning("user_id").execute();
    const users = members.map((member) => member.user_id);
    await markChanged(ctx, "user", users);
  });
}

async function countPosts({ db }: Ctx, group: number): Promise<number> {
  const posts = await db
    .selectFrom("posts as p")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .select("p.id")
    .where("a.group_id", "=", group)
    .where("p.deleted_at", "is", null)
    .limit(maxCounted + 1)
    .execute();
  return posts.length;
}
