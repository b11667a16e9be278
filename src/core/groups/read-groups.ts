import { ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { groups as contract } from "../../contract/groups.ts";
import type { OutputOf } from "../../contract/operation.ts";
import type { Db } from "../../store/database.ts";
import { afterPrefix } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { presentAuthors } from "../directory/present-authors.ts";
import { filesOf, presentNestedFiles } from "../files/attached-files.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { onlyItem } from "../pipeline/only-item.ts";
import { type GroupReader, groupReader, isVisibleGroup, mayManageGroups } from "../visibility/group-visibility.ts";

type Group = OutputOf<typeof contract.get>;
type GroupRow = Awaited<ReturnType<ReturnType<typeof groupRows>["execute"]>>[number];

/** Selects groups, with the alias `g`, their images and the actor's role in them. */
function groupRows(db: Db, me: number) {
  return db
    .selectFrom("groups as g")
    .leftJoin("group_members as m", (join) => join.onRef("m.group_id", "=", "g.id").on("m.user_id", "=", me))
    .selectAll("g")
    .select("m.role")
    .select(filesOf(db, "group", "g.id").as("files"));
}

async function presentGroups(ctx: Ctx, rows: readonly GroupRow[]): Promise<Group[]> {
  const authors = rows.map((row) => row.author_id);
  const authorOf = await presentAuthors(ctx, authors);
  const rules = mayManageGroups(ctx.actor);
  return rows.map(({ id, name, description, privacy, member_count, role, files, author_id, ...row }) => {
    const edit = rules || role === "administrator";
    return {
      content_type: "group",
      id,
      name,
      description,
      privacy,
      member_count,
      role,
      image: presentNestedFiles(ctx, files)[0] ?? null,
      permissions: { edit, delete: edit },
      author: authorOf(author_id),
      created_at: row.created_at,
      updated_at: row.updated_at,
      url: `/groups/${id}`,
    };
  });
}

export const groupReadHandlers = {
  async list(ctx, { limit, cursor, ...filter }) {
    const list = `groups ${JSON.stringify(filter)}`;
    let query = groupRows(ctx.db, ctx.actor.id).where(isVisibleGroup("g", groupReader(ctx.actor)));
    if (filter.mine === true) {
      query = query.where("g.id", "in", (eb) =>
        eb.selectFrom("group_members").select("group_id").where("user_id", "=", ctx.actor.id),
      );
    }
    if (filter.mine === false) query = query.where("m.role", "is", null);
    if (filter.privacy !== undefined) query = query.where("g.privacy", "=", filter.privacy);
    const min = filter.name && fold(filter.name);
    const range = { min, max: min && afterPrefix(min) };
    const order = { by: ["name_key", "id"], alias: "g", range } as const;
    const { rows, meta } = await readPage(ctx, query, order, { list, limit, cursor });
    return { data: await presentGroups(ctx, rows), meta };
  },

  get: (ctx, { id }) => oneGroup(ctx, id),
} satisfies Partial<Handlers<typeof contract>>;

export async function oneGroup(ctx: Ctx, id: number): Promise<Group> {
  return onlyItem(await presentGroups(ctx, [await findGroup(ctx, id)]));
}

const groupById = prepared((db, p: GroupReader & { id: number }) =>
  groupRows(db, p.me).where("g.id", "=", p.id).where(isVisibleGroup("g", p)),
);

/** Returns the group with the actor's role. Throws `not_found` when it is private and the actor is not a member. */
export async function findGroup(ctx: Ctx, id: number): Promise<GroupRow> {
  const [group] = await groupById(ctx.db, { ...groupReader(ctx.actor), id });
  if (group === undefined) throw new ServiceError("not_found", `There is no group ${id}.`);
  return group;
}

/** Returns the group like `findGroup`. Throws `forbidden` when the actor may see but not change it. */
export async function findOwnGroup(ctx: Ctx, id: number): Promise<GroupRow> {
  const row = await findGroup(ctx, id);
  if (row.role === "administrator" || mayManageGroups(ctx.actor)) return row;
  throw new ServiceError("forbidden", `Only administrators of group ${id} can do this.`);
}
