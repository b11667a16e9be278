import { ServiceError } from "../../contract/errors.ts";
import type { units as contract } from "../../contract/units.ts";
import { insertRow, updateRow } from "../../store/bulk.ts";
import { markChanged } from "../directory/mark-changed.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";

export const departments = {
  async departmentAdd(ctx, { id: unit_id, name }) {
    await requireFreeName(ctx, unit_id, name);
    const id = await insertRow(ctx.db, "departments", { unit_id, name });
    await markChanged(ctx, "unit", [unit_id]);
    return { id, name };
  },

  async departmentUpdate(ctx, { id: unit, department, name }) {
    const before = await requireDepartment(ctx, unit, department);
    await requireFreeName(ctx, unit, name, department);
    if (before.name !== name) {
      await updateRow(ctx.db, "departments", department, { name });
      await markChanged(ctx, "unit", [unit]);
    }
    return { id: department, name };
  },

  async departmentRemove(ctx, { id: unit, department }) {
    await requireDepartment(ctx, unit, department);
    const members = await ctx.db
      .selectFrom("memberships")
      .select("user_id")
      .where("department_id", "=", department)
      .execute();
    const users = members.map((member) => member.user_id);
    await markChanged(ctx, "user", users);
    await ctx.db.deleteFrom("departments").where("id", "=", department).execute();
    await markChanged(ctx, "unit", [unit]);
  },
} satisfies Partial<Handlers<typeof contract>>;

async function requireDepartment(ctx: Ctx, unit: number, id: number): Promise<{ id: number; name: string }> {
  return ctx.db
    .selectFrom("departments")
    .select(["id", "name"])
    .where("id", "=", id)
    .where("unit_id", "=", unit)
    .executeTakeFirstOrThrow(() => new ServiceError("not_found", `Unit ${unit} has no department ${id}.`));
}

async function requireFreeName(ctx: Ctx, unit: number, name: string, except = 0): Promise<void> {
  const taken = await ctx.db
    .selectFrom("departments")
    .select("id")
    .where("unit_id", "=", unit)
    .where("name", "=", name)
    .where("id", "<>", except)
    .executeTakeFirst();
  if (taken) throw new ServiceError("conflict", `The name is taken by department ${taken.id} of the unit.`);
}
