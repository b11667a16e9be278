import { pluralize } from "../../../contract/count-text.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Caller, OutputOf } from "../../../contract/operation.ts";
import { maxRemovals, providerName } from "../../../contract/user-schemas.ts";
import { users } from "../../../contract/users.ts";
import { Interrupted, UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { askOnTarget, requireConfirmation } from "../../kit/confirmation.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { parseFlag } from "../../kit/parse-value.ts";
import type { ImportMapping } from "./mapping-file.ts";

type RemovalFlags = NonNullable<Awaited<ReturnType<typeof parseRemovalFlags>>>;

type Removal = Awaited<ReturnType<typeof findScope>>;

interface RemovalRun {
  readonly present: readonly number[];
  readonly signal: AbortSignal;
  readonly caller: Caller;
  readonly context: Context;
}

type Result = OutputOf<typeof users.deactivateMissing>;

/** Parses the flags; undefined without --deactivate-missing. Throws a `UsageError` also when a confirmation is missing. */
export async function parseRemovalFlags(context: Context, mapping: ImportMapping | undefined) {
  const { flags, terminal } = context;
  if (flags.deactivateMissing !== true) {
    const stray = (["scope", "maxRemovals"] as const).find((name) => flags[name] !== undefined);
    if (stray === undefined) return undefined;
    throw new UsageError(`${stray === "scope" ? "--scope" : "--max-removals"} needs --deactivate-missing`);
  }
  const form = "pass --scope provider:<name> or --scope unit:<name, reference or ID>";
  if (flags.scope === undefined) throw new UsageError("--deactivate-missing needs a scope", { hint: form });
  const [, kind, given] = /^(provider|unit)(?::(.*))?$/s.exec(String(flags.scope)) ?? [];
  if (kind !== "provider" && kind !== "unit")
    throw new UsageError(`--scope: '${flags.scope}' is neither a provider nor a unit`, { hint: form });
  const name = given ?? mapping?.values[kind];
  if (!name)
    throw new UsageError(`--scope ${kind} needs a name`, { hint: `${form}, or set it with --set ${kind}=<name>` });
  if (kind === "provider") parseFlag("--scope", providerName(), name);
  const max_removals = parseFlag("--max-removals", maxRemovals(), flags.maxRemovals);
  if (!terminal.interactive)
    await requireConfirmation(context, async () => "", "--deactivate-missing needs a confirmation");
  return { kind, name, max_removals };
}

/** Finds the scope before the import; `isKnown` is false for a provider that only the mapping gives to users. */
export async function findScope(
  { kind, name, max_removals }: RemovalFlags,
  { terminal }: Context,
  caller: Caller,
  mapping: ImportMapping | undefined,
) {
  if (kind === "unit") {
    const unit = await findOneByName("units", "--scope", name, { caller, terminal });
    return { scope: { unit }, isKnown: true, max_removals };
  }
  const { data } = await caller.call(users.list, { provider: name, inactive: true, limit: 1 });
  const isKnown = data.length > 0;
  const isGiven = mapping?.values.provider === name || mapping?.columns.some(({ field }) => field === "provider");
  if (isKnown || isGiven) return { scope: { provider: name }, isKnown, max_removals };
  throw new ServiceError("not_found", `No user has the provider ${name}.`, {
    hint: `To give it to the users of the file, pass --set provider=${name}.`,
  });
}

/** Deactivates the users of the scope that are not present, after a confirmation. Returns undefined when there are none. */
export async function removeMissing(
  { scope, isKnown, max_removals }: Removal,
  { present, signal, caller, context }: RemovalRun,
): Promise<Result | undefined> {
  const { flags, terminal } = context;
  const dryRun = flags.dryRun === true;
  // A dry run has not given the provider to any user.
  if (dryRun && !isKnown) return undefined;
  const input = { ...scope, present: [...present], max_removals };
  const call = async (dry: boolean) => {
    try {
      return await caller.call(users.deactivateMissing, input, { dryRun: dry, signal });
    } catch (error) {
      throw error instanceof ServiceError && error.code === "conflict" ? tooMany(error, dryRun) : error;
    }
  };
  if (!dryRun && flags.yes !== true) {
    const expected = await call(true);
    if (expected.deactivated > 0) await confirmRemoval(expected, context);
  }
  const result = await call(dryRun);
  if (dryRun || flags.yes === true) listMissing(result, context);
  const what = `${result.deactivated} of ${pluralize(result.active, "active user")} of the scope`;
  terminal.note(
    dryRun
      ? `${what} before the import would be deactivated.`
      : `${what} ${result.deactivated === 1 ? "was" : "were"} deactivated.`,
  );
  if (result.kept > 0)
    terminal.note(`${pluralize(result.kept, "missing user")} stayed active: administrators and you are kept.`);
  return result;
}

function tooMany({ code, message }: ServiceError, dryRun: boolean): ServiceError {
  const hint = dryRun
    ? "This compares with the scope before the import. Check the file, or allow more with --max-removals; --max-removals 100% lists all of them."
    : "The rows are imported. Check the file, and see who is missing with --dry-run --max-removals 100%; then allow more with --max-removals.";
  return new ServiceError(code, message, { hint });
}

async function confirmRemoval(expected: Result, context: Context): Promise<void> {
  const { terminal } = context;
  listMissing(expected, context);
  const question = `Deactivate ${pluralize(expected.deactivated, "user")} who ${expected.deactivated === 1 ? "is" : "are"} not in the file?`;
  if (await askOnTarget(context, question)) return;
  terminal.note("The rows are imported; nobody was deactivated.");
  throw new Interrupted();
}

function listMissing({ users: missing, deactivated }: Result, { terminal }: Context): void {
  for (const { id, name, reference } of missing) {
    terminal.note(`not in the file: ${name} (${reference === null ? "" : `${reference}, `}user ${id})`);
  }
  if (deactivated > missing.length)
    terminal.note(`not in the file: ${deactivated - missing.length} other users, who are not listed here`);
}
