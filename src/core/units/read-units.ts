import { invalid, ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { units as contract } from "../../contract/units.ts";
import { afterPrefix, beginsWith } from "../../store/dialect.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { presentFullUnits, presentUnits, presentUnitsAfter, type Unit } from "../directory/present-units.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { isUnfiltered, readPage, readPageAfter } from "../pipeline/cursor.ts";
import { filterIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { unitPath } from "../pipeline/permissions.ts";
import { ancestorsOf } from "../pipeline/unit-path.ts";

type Reading = "list" | "get" | "reference" | "tree" | "children";

export const unitReadHandlers: Pick<Handlers<typeof contract>, Reading> = {
  async list(ctx, { limit, cursor, ...filter }) {
    const asked = { list: `units ${JSON.stringify(filter)}`, limit, cursor };
    if (isUnfiltered(filter)) {
      const page = await readPageAfter(ctx, asked, presentUnitsAfter);
      if (page) return page;
    }
    let query = ctx.db.selectFrom("units").select("id");
    if (filter.parent !== undefined) query = query.where("parent_id", "=", filter.parent);
    if (filter.unit_type !== undefined) query = query.where("unit_type", "=", filter.unit_type);
    if (filter.below !== undefined) {
      const path = await unitPath(ctx.db, filter.below);
      if (path === undefined) query = query.where((eb) => eb.lit(false));
      else query = query.where(beginsWith("path", path)).where("id", "<>", filter.below);
    }
    // A name of combining accents only folds to an empty prefix, which would match all names; unfolded, it matches none.
    if (filter.name !== undefined) query = query.where(beginsWith("name_key", fold(filter.name) || filter.name));
    const { rows, meta } = await readPage(ctx, query, { by: ["id"] }, asked);
    if (rows.length === 0) requireNoIssues(await unitFilterIssues(ctx, filter));
    const ids = rows.map((row) => row.id);
    return { data: await presentUnits(ctx, ids), meta };
  },

  get: (ctx, { id }) => unitWithChildren(ctx, id),

  async reference(ctx, { reference }) {
    const row = await ctx.db.selectFrom("units").select("id").where("reference", "=", reference).executeTakeFirst();
    if (row === undefined) throw new ServiceError("not_found", `There is no unit with the reference ${reference}.`);
    return unitWithChildren(ctx, row.id);
  },

  async tree(ctx, { unit, depth, limit, cursor }) {
    const top = unit === undefined ? "/" : await unitPath(ctx.db, unit);
    if (top === undefined) throw invalid({ unit: [`is not an existing unit: ${unit}`] });
    const list = `tree ${top} ${depth}`;
    let query = ctx.db
      .selectFrom("units")
      .select(["id", "name", "level", "unit_type", "reference", "path", "parent_id"])
      .select(["user_count", "child_count", "descendant_count"]);
    if (depth !== undefined) query = query.where("level", "<=", ancestorsOf(top).length + depth);
    const order = { by: ["path"], range: { min: top, max: afterPrefix(top) } } as const;
    const { rows, meta } = await readPage(ctx, query, order, { list, limit, cursor });
    return { data: rows.map(presentNode), meta };
  },

  async children(ctx, { id, ...paging }) {
    if ((await unitPath(ctx.db, id)) === undefined) throw new ServiceError("not_found", `There is no unit ${id}.`);
    return unitReadHandlers.list(ctx, { parent: id, ...paging });
  },
};

type Column = "id" | "name" | "level" | "unit_type" | "reference" | "path" | "parent_id";
type Count = "user_count" | "child_count" | "descendant_count";

/** Presents a unit of the tree. Names each field, because fields that follow a spread are slow to add. */
function presentNode(row: RowOf<"units", Column | Count>) {
  return {
    content_type: "unit" as const,
    id: row.id,
    name: row.name,
    level: row.level,
    unit_type: row.unit_type,
    url: `/units/${row.id}`,
    reference: row.reference,
    path: row.path,
    parent_id: row.parent_id,
    stats: { users: row.user_count, children: row.child_count, children_total: row.descendant_count },
  };
}

export async function unitWithChildren(ctx: Ctx, id: number): Promise<Unit> {
  const [unit] = await presentFullUnits(ctx, [id]);
  if (unit === undefined) throw new ServiceError("not_found", `There is no unit ${id}.`);
  return unit;
}

export const unitFilterIssues = (ctx: Ctx, { parent, below }: Partial<InputOf<typeof contract.list>>) =>
  filterIssues(ctx, { units: { parent, below } });

export const treeIssues = (ctx: Ctx, { unit }: Partial<InputOf<typeof contract.tree>>) =>
  filterIssues(ctx, { units: { unit } });
