import { ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { Ability } from "../../contract/operation.ts";
import type { usertypes as contract } from "../../contract/usertypes.ts";
import { countRows, deleteRows, insertRow, updateRow } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { requireFree } from "../pipeline/field-issues.ts";
import { presentAbilities, requireAbilities } from "../pipeline/permissions.ts";
import { forgetUserType, hasContentFor } from "../visibility/audience.ts";
import { reportHolders } from "./changed-holders.ts";

type Row = RowOf<"user_types", "id" | "name" | "reference" | "abilities">;

export const usertypes: Handlers<typeof contract> = {
  async list(ctx, { limit, cursor }) {
    const asked = { list: "usertypes", limit, cursor };
    const { rows, meta } = await readPage(ctx, types(ctx), { by: ["id"] }, asked);
    return { data: rows.map(present), meta };
  },

  get: async (ctx, { id }) => present(await find(ctx, id)),

  async reference(ctx, { reference }) {
    const missing = () => new ServiceError("not_found", `There is no user type with the reference ${reference}.`);
    return present(await types(ctx).where("reference", "=", reference).executeTakeFirstOrThrow(missing));
  },

  async create(ctx, { name, reference = null, abilities = {} }) {
    const granted = namesOf(abilities);
    requireAbilities(ctx.actor, [{ abilities: granted }]);
    const row = { name, name_key: fold(name), reference, abilities: JSON.stringify(granted) };
    await requireFree(ctx, "user_types", row);
    return present(await find(ctx, await insertRow(ctx.db, "user_types", row)));
  },

  async update(ctx, { id, name, reference, abilities }) {
    const row = await find(ctx, id);
    const before = JSON.parse(row.abilities) as Ability[];
    const after = namesOf({ ...presentAbilities(before), ...abilities });
    // Without `usertypes` there, the name that imports give to holders could be passed to a new type with more abilities.
    await requireAbilitiesWhereHeld(ctx, id, [...new Set<Ability>(["usertypes", ...before, ...after])]);
    const changes = {
      reference,
      abilities: JSON.stringify(after),
      ...(name !== undefined && { name, name_key: fold(name) }),
    };
    await requireFree(ctx, "user_types", changes, id);
    await updateRow(ctx.db, "user_types", id, changes);
    const changed = [...before, ...after].filter((ability) => before.includes(ability) !== after.includes(ability));
    await reportHolders(ctx, id, changed);
    return present(await find(ctx, id));
  },

  async delete(ctx, { id }) {
    const row = await find(ctx, id);
    requireAbilities(ctx.actor, [{ abilities: JSON.parse(row.abilities) }]);
    const holders = await countRows(ctx.db.selectFrom("membership_user_types").where("user_type_id", "=", id));
    if (holders > 0) {
      const held = holders === 1 ? "1 member; remove it from this member" : `${holders} members; remove it from them`;
      throw new ServiceError("conflict", `User type ${id} is held by ${held} first.`);
    }
    // Without the type, content limited to its holders would become visible to everybody.
    if (await hasContentFor(ctx.db, id)) {
      throw new ServiceError("conflict", `Posts or events are limited to user type ${id}; change their readers first.`);
    }
    await forgetUserType(ctx.db, id);
    await deleteRows(ctx.db, "user_types", { id });
  },
};

function types(ctx: Ctx) {
  return ctx.db.selectFrom("user_types").select(["id", "name", "reference", "abilities"]);
}

function find(ctx: Ctx, id: number): Promise<Row> {
  const missing = () => new ServiceError("not_found", `There is no user type ${id}.`);
  return types(ctx).where("id", "=", id).executeTakeFirstOrThrow(missing);
}

function present({ id, name, reference, abilities }: Row) {
  return {
    content_type: "usertype" as const,
    id,
    name,
    reference,
    abilities: presentAbilities(JSON.parse(abilities)),
    url: `/usertypes/${id}`,
  };
}

function namesOf(flags: Partial<Record<Ability, boolean | undefined>>): Ability[] {
  return (Object.keys(flags) as Ability[]).filter((ability) => flags[ability]);
}

/** Throws `forbidden` unless the actor has these abilities wherever a member holds the user type. */
async function requireAbilitiesWhereHeld(ctx: Ctx, id: number, abilities: readonly Ability[]): Promise<void> {
  if (ctx.actor.admin) return;
  const places = await ctx.db
    .selectFrom("membership_user_types as mt")
    .innerJoin("memberships as m", "m.id", "mt.membership_id")
    .innerJoin("units as n", "n.id", "m.unit_id")
    .select("n.path")
    .distinct()
    .where("mt.user_type_id", "=", id)
    .execute();
  requireAbilities(ctx.actor, [{ abilities }, ...places.map(({ path }) => ({ path, abilities }))]);
}
