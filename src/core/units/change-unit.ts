import { isDeepStrictEqual } from "node:util";
import { pluralize } from "../../contract/count-text.ts";
import { invalid, ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { units as contract } from "../../contract/units.ts";
import { deleteRows, findRow, updateRow } from "../../store/bulk.ts";
import { markChanged } from "../directory/mark-changed.ts";
import { moveMembers } from "../directory/memberships.ts";
import { fullAddresses, type Unit } from "../directory/present-units.ts";
import { endMovedServiceTokens } from "../directory/service-accounts.ts";
import { addToCounts, addUnit, moveBranch, moveChildren } from "../directory/unit-tree.ts";
import { removeFiles } from "../files/attached-files.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireFree } from "../pipeline/field-issues.ts";
import { requireAbility } from "../pipeline/permissions.ts";
import { transferContent } from "../visibility/feed-index.ts";
import { requireMove, requireTransfer } from "./extended-grants.ts";
import { unitWithChildren } from "./read-units.ts";

export const unitChangeHandlers = {
  async create(ctx, { parent, ...fields }) {
    await requireFree(ctx, "units", { reference: fields.reference });
    const id = await addUnit(ctx, await findUnit(ctx, parent), { ...columns(fields), name: fields.name });
    ctx.changed("unit.create", id);
    return unitWithChildren(ctx, id);
  },

  async update(ctx, { id, ...fields }) {
    const before = await unitWithChildren(ctx, id);
    await requireFree(ctx, "units", { reference: fields.reference }, id);
    const row = await ctx.db.selectFrom("units").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const changes = listChangedColumns(row, columns(fields, before));
    if (Object.keys(changes).length === 0) return before;
    // A unit that took over the reference would get the members of this one at the next import.
    if (changes.reference !== undefined && row.reference !== null) requireAbility(ctx.actor, "user", row.path);
    await updateRow(ctx.db, "units", id, { ...changes, updated_at: ctx.now });
    ctx.changed("unit.update", id);
    return unitWithChildren(ctx, id);
  },

  async move(ctx, { id, parent }) {
    const unit = await findUnit(ctx, id);
    const above = await findUnit(ctx, parent);
    if (unit.parent_id !== parent) {
      await requireMove(ctx, unit, above);
      await moveBranch(ctx.db, unit, above);
      await markChanged(ctx, "unit", [id]);
    }
    return unitWithChildren(ctx, id);
  },

  async delete(ctx, { id, transfer }) {
    const unit = await findUnit(ctx, id);
    if (unit.parent_id === null) throw new ServiceError("conflict", "The root unit cannot be deleted.");
    const target = transfer === undefined ? undefined : await findUnit(ctx, transfer);
    if (target) await requireTransfer(ctx, unit, target);
    if (target?.path.startsWith(unit.path)) throw invalid({ transfer: ["must not be the unit or one below it"] });
    ctx.changed("unit.delete", id, await unitWithChildren(ctx, id));
    const { child_count, user_count } = unit;
    if (child_count + user_count > 0) {
      if (target === undefined) {
        const held = `${pluralize(child_count, "child", "children")} and ${pluralize(user_count, "member")}`;
        throw new ServiceError("conflict", `Unit ${id} has ${held}.`);
      }
      const moved = await moveChildren(ctx.db, unit, target);
      await endMovedServiceTokens(ctx, id, target.id);
      const members = await moveMembers(ctx, id, target.id);
      await markChanged(ctx, "unit", moved);
      await markChanged(ctx, "user", members);
    }
    await transferContent(ctx.db, id, target?.id ?? unit.parent_id);
    await removeFiles(ctx, "unit", [id]);
    await deleteRows(ctx.db, "units", { id });
    await addToCounts(ctx.db, await findUnit(ctx, unit.parent_id), { children: -1, descendants: -1 });
  },
} satisfies Partial<Handlers<typeof contract>>;

async function findUnit(ctx: Ctx, id: number) {
  const columns = ["id", "path", "level", "parent_id", "child_count", "user_count"] as const;
  const unit = await findRow(ctx.db, "units", { id }, columns);
  if (unit === undefined) throw new ServiceError("not_found", `There is no unit ${id}.`);
  return unit;
}

type Fields = Omit<InputOf<typeof contract.update>, "id">;

const noContact = { name: null, phone: null };
const noAddresses = { company: null, delivery: null, invoicing: null };
const noHours = { office_hours: null, closed: null };
const noPosition = { lat: null, lng: null };

/** Returns the columns for the given input fields; nested objects are merged with those `before`, and cleared by null. */
function columns(fields: Fields, before?: Pick<Unit, "addresses" | "opening_hours">) {
  const { name, reference, description, unit_type } = fields;
  const contact = fields.contact === null ? noContact : fields.contact;
  const addresses = fields.addresses === null ? noAddresses : fields.addresses;
  const opening_hours = fields.opening_hours === null ? noHours : fields.opening_hours;
  const geo = fields.geo === null ? noPosition : fields.geo;
  return {
    name,
    name_key: name === undefined ? undefined : fold(name),
    reference,
    description,
    unit_type,
    contact_name: contact?.name,
    contact_phone: contact?.phone,
    addresses: mergedJson(before?.addresses, addresses && fullAddresses(addresses, before?.addresses)),
    opening_hours: mergedJson(before?.opening_hours, opening_hours),
    lat: geo?.lat,
    lng: geo?.lng,
  };
}

/** Returns the merged object as stored; undefined when nothing changes. */
function mergedJson(before: object | undefined, changes: object | undefined): string | undefined {
  if (changes === undefined) return undefined;
  const text = JSON.stringify({ ...before, ...changes });
  return before !== undefined && isDeepStrictEqual(JSON.parse(text), before) ? undefined : text;
}
