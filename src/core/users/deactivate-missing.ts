import { pluralize } from "../../contract/count-text.ts";
import { type FieldIssues, invalid, ServiceError } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import { exceedsLimit } from "../../contract/user-schemas.ts";
import { users as contract } from "../../contract/users.ts";
import { findRows } from "../../store/bulk.ts";
import { beginsWith } from "../../store/dialect.ts";
import { inOrderOf } from "../directory/in-order-of.ts";
import { serviceProvider } from "../directory/service-accounts.ts";
import { recordForEach } from "../pipeline/audit-log.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { pathsOfUsers, requireAbility, requireGrantsOf, unitPath } from "../pipeline/permissions.ts";
import { deactivateUsers } from "./change-account.ts";

type Input = InputOf<typeof contract.deactivateMissing>;

const maxListed = 500;

/** Deactivates the users of a scope that are not present: all of them, or none when one of the checks fails. */
export const deactivateMissing: Handlers<typeof contract>["deactivateMissing"] = async (ctx, input) => {
  // Admitted before it waited for the transaction. A provider is no place, so `permit` does not check the ability again.
  requireAbility(ctx.actor, "user");
  requireNoIssues(scopeIssues(input));
  const active = await usersIn(ctx, input);
  await takeTurn();
  if (active.length === 0 && input.provider !== undefined) await requireProvider(ctx, input.provider);
  // Compared here, because PostgreSQL compares each row with each element of a long list.
  const present = new Set(input.present);
  const missing = active.filter(({ id }) => !present.has(id));
  const removed = missing.filter(({ id, admin }) => admin === 0 && id !== ctx.actor.id).map(({ id }) => id);
  // Checked before the limit, whose message reveals how many there are.
  if (!ctx.actor.admin) {
    for (const path of await pathsOfUsers(ctx, "present", removed)) requireAbility(ctx.actor, "user", path);
    await requireGrantsOf(ctx, removed);
  }
  requireFewer(removed.length, active.length, input.max_removals);
  await takeTurn();
  const users = await listUsers(ctx, removed.slice(0, maxListed));
  await deactivateUsers(ctx, removed);
  const paths = removed.map((id) => `/users/${id}`);
  await recordForEach(ctx, contract.deactivateMissing, paths);
  return { active: active.length, deactivated: removed.length, kept: missing.length - removed.length, users };
};

/** Returns the issue of a scope that is neither one provider nor one unit. */
export function scopeIssues({ provider, unit }: Pick<Partial<Input>, "provider" | "unit">): FieldIssues {
  return (provider === undefined) === (unit === undefined)
    ? { unit: ["is required, or a provider, but not both"] }
    : {};
}

/** Returns the active people of the scope by ID. A user belongs to the branch of the first unit. */
async function usersIn({ db }: Ctx, { provider, unit }: Input) {
  const people = db
    .selectFrom("users as u")
    .select(["u.id", "u.admin"])
    .orderBy("u.id")
    .where("u.active", "=", 1)
    .where("u.provider", "<>", serviceProvider);
  if (unit === undefined) return people.where("u.provider", "=", provider ?? "").execute();
  // A unit that does not exist is refused with the permission.
  const path = (await unitPath(db, unit)) ?? "";
  return people
    .where("u.unit_id", "in", (eb) => eb.selectFrom("units").select("id").where(beginsWith("path", path)))
    .execute();
}

/** Throws `validation_failed` when no user, active or not, has the provider: its name is probably misspelt. */
async function requireProvider({ db }: Ctx, provider: string): Promise<void> {
  const user = await db.selectFrom("users").select("id").where("provider", "=", provider).limit(1).executeTakeFirst();
  if (user === undefined) throw invalid({ provider: [`is not the provider of any user: ${provider}`] });
}

/** Throws `conflict` when more users would be deactivated than `max`, a number or a percentage of `active`. */
function requireFewer(count: number, active: number, max: string): void {
  if (!exceedsLimit(count, { of: active, limit: max })) return;
  const allowed = max.endsWith("%") ? `${max} of ${active}` : max;
  throw new ServiceError(
    "conflict",
    `${pluralize(count, "user")} would be deactivated, more than the maximum of ${allowed}; nobody was deactivated.`,
  );
}

async function listUsers({ db }: Ctx, ids: readonly number[]) {
  const rows = await findRows(db, "users", { id: ids }, ["id", "reference", "first_name", "last_name"]);
  return inOrderOf(ids, rows).map(({ id, reference, first_name, last_name }) => {
    return { id, reference, name: `${first_name} ${last_name}` };
  });
}
