import { ServiceError } from "../../contract/errors.ts";
import type { units as contract } from "../../contract/units.ts";
import { deleteRows, findRow, findRows, insertRow, updateRow } from "../../store/bulk.ts";
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
    const members = await findRows(ctx.db, "memberships", { department_id: department }, ["user_id"]);
    const users = members.map((member) => member.user_id);
    await markChanged(ctx, "user", users);
    await deleteRows(ctx.db, "departments", { id: department });
    await markChanged(ctx, "unit", [unit]);
  },
} satisfies Partial<Handlers<typeof contract>>;

async function requireDepartment({ db }: Ctx, unit: number, id: number): Promise<{ readonly name: string }> {
  const department = await findRow(db, "departments", { id, unit_id: unit }, ["name"]);
  if (department) return department;
  throw new ServiceError("not_found", `Unit ${unit} has no department ${id}.`);
}

async function requireFreeName(ctx: Ctx, unit: number, name: string, except = 0): Promise<void> {
  const taken = await findRow(ctx.db, "departments", { unit_id: unit, name }, ["id"]);
  if (taken && taken.id !== except)
    throw new ServiceError("conflict", `The name is taken by department ${taken.id} of the unit.`);
}
