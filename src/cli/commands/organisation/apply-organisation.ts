import { ServiceError } from "../../../contract/errors.ts";
import { webhooks } from "../../../contract/webhooks.ts";
import { ConditionError, capitalize } from "../../errors/cli-errors.ts";
import { noteDeactivated } from "../../file-io/note-deactivated.ts";
import { openSource } from "../../file-io/open-source.ts";
import { portionsOf } from "../../file-io/portions.ts";
import { progressBar } from "../../file-io/show-progress.ts";
import type { Context } from "../../kit/command-spec.ts";
import { requireConfirmation } from "../../kit/confirmation.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import {
  type ChangeCounts,
  countChanges,
  type Done,
  printChanges,
  summarizeChanges,
  withoutCounts,
} from "../print-changes.ts";
import { type ApplyContext, createDirectory } from "./apply/apply-context.ts";
import { applyRemovals } from "./apply/apply-removals.ts";
import { applyUnits } from "./apply/apply-units.ts";
import { applyLosses, applyUsers } from "./apply/apply-users.ts";
import { applyUserTypes } from "./apply/apply-usertypes.ts";
import { applyWebhooks } from "./apply/apply-webhooks.ts";
import { tryPlan } from "./apply/preflight.ts";
import { parseRemovalLimits, requireFewRemovals } from "./apply/removal-limit.ts";
import { readOrganisation } from "./file/read-organisation.ts";
import { openScratch } from "./file/scratch-database.ts";
import { isRemoval } from "./plan/change.ts";
import { eachChange, hasSecrets, makePlan, type OrganisationPlan } from "./plan/make-plan.ts";
import { loadSnapshot, type Planning, untilAborted } from "./plan/plan-context.ts";

const portionSize = 500;

export async function diffOrganisation(context: Context): Promise<void> {
  let differs = false;
  await withPlan(context, async (plan) => {
    differs = await show(plan, context);
  });
  if (differs && context.flags.exitCode === true) throw new ConditionError("there are differences");
}

export async function applyOrganisation(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const limits = parseRemovalLimits(context);
  await withPlan(context, async (plan, planning, label) => {
    const gone = countChanges(eachChange(plan).filter((change) => isRemoval({ change })));
    requireFewRemovals(gone, { limits, plan, planning });
    await tryPlan(plan, planning);
    if (flags.dryRun === true) {
      await show(plan, context);
      return terminal.note(dryRunNote);
    }
    if (eachChange(plan).next().done) {
      await show(plan, context);
      return terminal.note(`Nothing to change: the data matches ${label}.`);
    }
    await confirmRemovals(gone, context);
    await carryOut({ ...planning, plan, directory: createDirectory(planning.snapshot, plan), refusals: [] }, context);
  });
}

/** Reads the file, connects, compares, and passes the plan to the callback with the name of the file. */
async function withPlan(
  context: Context,
  work: (plan: OrganisationPlan, planning: Planning, label: string) => Promise<void>,
): Promise<void> {
  const { terminal, flags } = context;
  using scratch = openScratch();
  await using source = await openSource(String(context.args.file), terminal, { again: true });
  const file = await readOrganisation(source, context, scratch);
  const connection = await context.connect();
  const caller = untilAborted(connection.caller, context.stopOnInterrupt());
  // Refuses those who must not list webhooks before everything else is compared.
  if (file.organisation.webhooks) await caller.call(webhooks.list, {});
  terminal.progress("comparing");
  const watch = (users: number) => terminal.progress(`comparing users  ${users.toLocaleString("en")}`);
  const snapshot = await loadSnapshot(caller);
  const deactivated = new Set<number>();
  const planning = { ...file, caller, snapshot, scratch, prune: flags.prune === true, deactivated, watch };
  const plan = await makePlan(planning);
  noteDeactivated(deactivated, "write active: true in the file", terminal);
  await work(plan, planning, source.label);
}

async function show(plan: OrganisationPlan, context: Context): Promise<boolean> {
  const counts: ChangeCounts = new Map();
  async function* portions() {
    for (const portion of portionsOf(eachChange(plan), portionSize)) {
      countChanges(portion, counts);
      yield portion;
    }
  }
  await printChanges(portions(), context, { secrets: hasSecrets(plan) });
  if (counts.size > 0) context.terminal.note(`Would ${summarizeChanges(counts)}.`);
  return counts.size > 0;
}

async function confirmRemovals(gone: ChangeCounts, context: Context): Promise<void> {
  if (gone.size === 0) return;
  context.terminal.note(`--prune will ${summarizeChanges(gone)}.`);
  await requireConfirmation(context, async () => `${capitalize(summarizeChanges(gone))}?`);
}

async function carryOut(work: ApplyContext, context: Context): Promise<void> {
  const { refusals } = work;
  const { terminal } = context;
  const all = countChanges(eachChange(work.plan));
  const total = [...all.values()].reduce((sum, count) => sum + count, 0);
  const done: ChangeCounts = new Map();
  let made = 0;
  let failure: unknown;
  async function* results() {
    try {
      for await (const some of steps(work)) {
        countChanges(some, done);
        made += some.length;
        yield some;
        // Lets Ctrl-C interrupt: a local database answers without returning to the event loop.
        await new Promise(setImmediate);
        terminal.progress(`applying  ${progressBar(made / total)}  ${made} of ${total}`);
      }
    } catch (error) {
      failure = error;
    }
  }
  await printChanges(results(), context, { secrets: hasSecrets(work.plan) });
  if (made > 0) terminal.note(`${capitalize(summarizeChanges(done, "past"))}.`);
  await work.issues.print(refusals);
  if (failure === undefined && refusals.length === 0) return;
  terminal.note(`Not applied: ${summarizeChanges(withoutCounts(all, done))}.`);
  if (made > 0) terminal.note("The applied changes are kept. Run the same command again to apply the rest.");
  throw (
    failure ??
    new ServiceError(
      "validation_failed",
      refusals.length === 1 ? "1 entry was not applied." : `${refusals.length} entries were not applied.`,
    )
  );
}

/** Runs the steps in order, and stops after one that failed in part, because later steps may depend on it. */
async function* steps(work: ApplyContext): AsyncGenerator<Done[]> {
  for (const step of [applyUserTypes, applyUnits, applyUsers, applyWebhooks, applyRemovals, applyLosses]) {
    yield* step(work);
    if (work.refusals.length > 0) return;
  }
}
