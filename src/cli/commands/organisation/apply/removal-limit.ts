import { pluralize } from "../../../../contract/count-text.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { exceedsLimit, removalLimit } from "../../../../contract/user-schemas.ts";
import { UsageError } from "../../../errors/cli-errors.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { parseFlag } from "../../../kit/parse-value.ts";
import type { ChangeCounts } from "../../print-changes.ts";
import type { OrganisationPlan } from "../plan/make-plan.ts";
import type { Planning } from "../plan/plan-context.ts";

/** Default limits. Removals within either of them are allowed. */
const defaults = ["10", "5%"];

/** Returns the limits of --max-removals. Throws a `UsageError` when it is invalid or has no --prune. */
export function parseRemovalLimits({ flags }: Context): readonly string[] {
  if (flags.maxRemovals === undefined) return defaults;
  if (flags.prune !== true) throw new UsageError("--max-removals needs --prune");
  return [parseFlag("--max-removals", removalLimit(), flags.maxRemovals)];
}

/** Throws `conflict` when more users would be deactivated or more units deleted than each of the limits allows. */
export function requireFewRemovals(
  gone: ChangeCounts,
  { limits, plan, planning }: { limits: readonly string[]; plan: OrganisationPlan; planning: Planning },
): void {
  const users = { count: gone.get("deactivate user") ?? 0, of: plan.activeUsers };
  const units = { count: gone.get("delete unit") ?? 0, of: planning.snapshot.units.length };
  const isTooMany = ({ count, of }: typeof users) => limits.every((limit) => exceedsLimit(count, { of, limit }));
  const excesses = [
    ...(isTooMany(users) ? [`deactivate ${users.count} of ${pluralize(users.of, "active user")}`] : []),
    ...(isTooMany(units) ? [`delete ${units.count} of ${pluralize(units.of, "unit")}`] : []),
  ];
  if (excesses.length === 0) return;
  throw new ServiceError(
    "conflict",
    `--prune would ${excesses.join(" and ")}, and --max-removals allows ${limits.join(" or ")}; nothing was changed.`,
    {
      hint: "Check that the file is complete; wcs diff --prune shows what it would remove. Then allow more with --max-removals.",
    },
  );
}
