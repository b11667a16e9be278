import { type FieldErrors, invalid, ServiceError } from "../../contract/errors.ts";
import type { users as contract } from "../../contract/users.ts";
import { isAmong } from "../../store/dialect.ts";
import { serviceProvider } from "../directory/service-accounts.ts";
import { may } from "../pipeline/actor.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireAbility, requireGrantsOf, unitPath } from "../pipeline/permissions.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { branchEnd } from "../pipeline/unit-path.ts";
import { deactivateUsers } from "./change-account.ts";

type DeactivateMissing = Handlers<typeof contract>["deactivateMissing"];
type Input = Parameters<DeactivateMissing>[1];

/** Users that a response lists at most. */
const mostListed = 500;

/** Deactivates the users of a scope that are not present: all of them, or none when one of the checks fails. */
export const deactivateMissing: DeactivateMissing = async (ctx, input) => {
  requireAbility(ctx.actor, "user");
  refuse(scopeIssues(input));
  const scoped = await usersIn(ctx, input);
  const { active } = await scoped.select((eb) => eb.fn.countAll<number>().as("active")).executeTakeFirstOrThrow();
  if (active === 0 && input.provider !== undefined) await requireProvider(ctx, input.provider);
  const missing = await scoped
    .leftJoin("units as n", "n.id", "u.unit_id")
    .select(["u.id", "u.reference", "u.first_name", "u.last_name", "u.admin", "n.path"])
    .where((eb) => eb.not(isAmong(ctx.db, eb.ref("u.id"), input.present)))
    .orderBy("u.id")
    .execute();
  const removed = missing.filter(({ id, admin }) => admin === 0 && id !== ctx.actor.id);
  requireFewer(removed.length, active, input.max_removals);
  const ids = removed.map(({ id }) => id);
  const foreign = removed.filter(({ path }) => !may(ctx.actor, "user", path));
  if (foreign.length > 0) throw beyondReach(foreign);
  await requireGrantsOf(ctx, ids);
  if (ids.length > 0) await deactivateUsers(ctx, ids);
  return {
    active,
    deactivated: ids.length,
    kept: missing.length - ids.length,
    users: removed.slice(0, mostListed).map(({ id, reference, first_name, last_name }) => ({
      id,
      reference,
      name: `${first_name} ${last_name}`,
    })),
  };
};

/** Returns the issue of a scope that is neither one provider nor one unit. */
export function scopeIssues({ provider, unit }: Pick<Partial<Input>, "provider" | "unit">): FieldErrors {
  return (provider === undefined) === (unit === undefined)
    ? { unit: ["is required, or a provider, but not both"] }
    : {};
}

/** Selects the active people of the scope. A user belongs to the branch of the first unit. */
async function usersIn({ db }: Ctx, { provider, unit }: Input) {
  const people = db
    .selectFrom("users as u")
    .where("u.active", "=", 1)
    .where("u.deleted_at", "is", null)
    .where("u.provider", "<>", serviceProvider);
  if (unit === undefined) return people.where("u.provider", "=", provider ?? "");
  // A unit that does not exist is refused with the permission.
  const path = (await unitPath(db, unit)) ?? "";
  return people.where("u.unit_id", "in", (eb) =>
    eb.selectFrom("units").select("id").where("path", ">=", path).where("path", "<", branchEnd(path)),
  );
}

/** Throws `validation_failed` when no user, active or not, has the provider: its name is probably misspelt. */
async function requireProvider({ db }: Ctx, provider: string): Promise<void> {
  const user = await db.selectFrom("users").select("id").where("provider", "=", provider).limit(1).executeTakeFirst();
  if (user === undefined) throw invalid({ provider: [`is not the provider of any user: ${provider}`] });
}

/** Throws `conflict` when more users would be deactivated than `most`, a number or a percentage of `active`. */
function requireFewer(count: number, active: number, most: string): void {
  const isShare = most.endsWith("%");
  const limit = Number.parseFloat(most);
  if (isShare ? count * 100 <= limit * active : count <= limit) return;
  const users = count === 1 ? "1 user" : `${count} users`;
  const allowed = isShare ? `${most} of ${active}` : most;
  throw new ServiceError(
    "conflict",
    `${users} would be deactivated, and max_removals allows ${allowed}; nobody was deactivated.`,
  );
}

function beyondReach(users: readonly { readonly id: number }[]): ServiceError {
  const most = 10;
  const named = users.slice(0, most).map(({ id }) => id);
  const more = users.length > most ? ` and ${users.length - most} more` : "";
  return new ServiceError(
    "forbidden",
    `You don't have the ability user over the users ${named.join(", ")}${more}; nobody was deactivated.`,
  );
}
