import { invalid, ServiceError } from "../../contract/errors.ts";
import type { groups as contract } from "../../contract/groups.ts";
import type { OutputOf } from "../../contract/operation.ts";
import { findRow } from "../../store/bulk.ts";
import { addMember, changeRole, type Role, removeMember } from "../directory/group-memberships.ts";
import { presentAuthors } from "../directory/present-authors.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { onlyItem } from "../pipeline/only-item.ts";
import { mayManageGroups } from "../visibility/group-visibility.ts";
import { findGroup, findOwnGroup } from "./read-groups.ts";

type Member = OutputOf<typeof contract.memberAdd>;

export const groupMemberHandlers = {
  async members(ctx, { id, role, limit, cursor }) {
    await findGroup(ctx, id);
    const list = `group members ${id} ${role}`;
    let query = memberRows(ctx, id);
    if (role !== undefined) query = query.where("role", "=", role);
    const { rows, meta } = await readPage(ctx, query, { by: ["user_id"] }, { list, limit, cursor });
    return { data: await present(ctx, rows), meta };
  },

  async memberAdd(ctx, { id, user = ctx.actor.id, role }) {
    const group = await findGroup(ctx, id);
    const joins = user === ctx.actor.id && role === "member" && group.privacy === "public";
    if (!joins && group.role !== "administrator" && !mayManageGroups(ctx.actor)) {
      throw new ServiceError("forbidden", `Only administrators of group ${id} can add other users or administrators.`);
    }
    await requireActive(ctx, user);
    const present = await memberRows(ctx, id).where("user_id", "=", user).executeTakeFirst();
    if (present) throw new ServiceError("conflict", `User ${user} is already a member of group ${id}.`);
    // A group with members always has an administrator.
    await addMember(ctx, id, user, group.member_count === 0 ? "administrator" : role);
    return oneMember(ctx, id, user);
  },

  async memberSet(ctx, { id, user, role }) {
    await findOwnGroup(ctx, id);
    const member = await findMember(ctx, id, user);
    if (role === "administrator" && member.role !== role) await requireActive(ctx, user);
    if (member.role !== role) await changeRole(ctx, id, user, role);
    return oneMember(ctx, id, user);
  },

  async memberRemove(ctx, { id, user }) {
    await (user === ctx.actor.id ? findGroup(ctx, id) : findOwnGroup(ctx, id));
    const { role } = await findMember(ctx, id, user);
    await removeMember(ctx, id, user, role);
  },
} satisfies Partial<Handlers<typeof contract>>;

function memberRows({ db }: Ctx, group: number) {
  return db.selectFrom("group_members").select(["user_id", "role", "created_at"]).where("group_id", "=", group);
}

function findMember(ctx: Ctx, group: number, user: number) {
  const missing = () => new ServiceError("not_found", `User ${user} is not a member of group ${group}.`);
  return memberRows(ctx, group).where("user_id", "=", user).executeTakeFirstOrThrow(missing);
}

async function oneMember(ctx: Ctx, group: number, user: number): Promise<Member> {
  return onlyItem(await present(ctx, [await findMember(ctx, group, user)]));
}

async function present(
  ctx: Ctx,
  rows: readonly { user_id: number; role: Role; created_at: number }[],
): Promise<Member[]> {
  const users = rows.map((row) => row.user_id);
  const userOf = await presentAuthors(ctx, users);
  return rows.map(({ user_id, role, created_at }) => {
    return { content_type: "group_member", user: userOf(user_id), role, joined_at: created_at };
  });
}

async function requireActive({ db }: Ctx, user: number): Promise<void> {
  const row = await findRow(db, "users", { id: user }, ["active"]);
  if (row?.active !== 1) throw invalid({ user: [`is not an active user: ${user}`] });
}
