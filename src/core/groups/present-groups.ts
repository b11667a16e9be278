import type { groups as contract } from "../../contract/groups.ts";
import type { OutputOf } from "../../contract/operation.ts";
import { presentAuthors } from "../directory/present-authors.ts";
import { filesOf, presentNestedFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { ruleGroups } from "../visibility/group-visibility.ts";

export type Group = OutputOf<typeof contract.get>;
export type GroupRow = Awaited<ReturnType<ReturnType<typeof groupRows>["execute"]>>[number];

/** Selects groups, with the alias `g`, their images and the actor's role in them. */
export function groupRows({ db, actor }: Ctx) {
  return db
    .selectFrom("groups as g")
    .leftJoin("group_members as m", (join) => join.onRef("m.group_id", "=", "g.id").on("m.user_id", "=", actor.id))
    .selectAll("g")
    .select("m.role")
    .select(filesOf(db, "group", "g.id").as("files"));
}

export async function presentGroups(ctx: Ctx, rows: readonly GroupRow[]): Promise<Group[]> {
  const authors = rows.map((row) => row.author_id);
  const authorOf = await presentAuthors(ctx, authors);
  const rules = ruleGroups(ctx.actor);
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
