import { setImmediate as breathe } from "node:timers/promises";
import { ServiceError } from "../../../contract/errors.ts";
import { ConditionError, Interrupted } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { requireConfirmation } from "../../kit/confirmation.ts";
import { bar } from "../../terminal/progress-bar.ts";
import type { ApplyContext, Done } from "./apply/apply-context.ts";
import { applyRemovals } from "./apply/apply-removals.ts";
import { applyUnits } from "./apply/apply-units.ts";
import { applyUsers } from "./apply/apply-users.ts";
import { applyUserTypes } from "./apply/apply-usertypes.ts";
import { applyWebhooks } from "./apply/apply-webhooks.ts";
import { createDirectory } from "./apply/id-directory.ts";
import { tryPlan } from "./apply/preflight.ts";
import { changesOf, print, summary } from "./apply/print-results.ts";
import { type ReadFile, readOrganisation } from "./file/read-organisation.ts";
import { isRemoval } from "./plan/change.ts";
import { makePlan, type OrganisationPlan } from "./plan/make-plan.ts";
import type { Planning } from "./plan/plan-context.ts";
import { loadHeld } from "./plan/snapshot.ts";

/** `wcs diff`: shows the changes that apply would make. */
export async function diff(context: Context): Promise<void> {
  let differs = false;
  await withPlan(context, async (plan) => {
    differs = changesOf(plan).length > 0;
    await show(plan, context);
  });
  if (differs && context.flags.exitCode === true) throw new ConditionError("there are differences");
}

/** `wcs apply`: changes an instance to match a file. */
export async function apply(context: Context): Promise<void> {
  const { terminal, flags } = context;
  await withPlan(context, async (plan, planning, { label, issues }) => {
    await tryPlan(plan, planning);
    if (flags.dryRun === true) {
      await show(plan, context);
      return terminal.note("Dry run: nothing was changed.");
    }
    if (changesOf(plan).length === 0) {
      await show(plan, context);
      return terminal.note(`Nothing to change: the data matches ${terminal.sanitizeLine(label)}.`);
    }
    await confirmRemovals(plan, context);
    const refusals: string[] = [];
    const { caller, signal, held } = planning;
    const refused: ApplyContext["refused"] = (path, reasons) => {
      refusals.push(`${issues.place(path)} ${reasons.join("; ")}`);
    };
    await carryOut({ caller, signal, held, plan, directory: createDirectory(held, plan), refused }, refusals, context);
  });
}

/** Reads the file, connects, compares, and passes the plan to the callback. */
async function withPlan(
  context: Context,
  work: (plan: OrganisationPlan, planning: Planning, file: ReadFile) => Promise<void>,
): Promise<void> {
  const { terminal, flags } = context;
  const stop = new AbortController();
  const { signal } = stop;
  const file = await readOrganisation(context);
  const { caller } = await context.connect();
  // An interruption waits for the end of the running request, so that no change is half done.
  terminal.onInterrupt(() => stop.abort(new Interrupted()));
  try {
    terminal.progress("comparing");
    const { organisation, issues } = file;
    const watch = (users: number) => terminal.progress(`comparing users  ${users.toLocaleString("en")}`);
    const held = await loadHeld(caller, signal);
    const planning = { caller, signal, organisation, issues, held, prune: flags.prune === true, watch };
    const plan = await makePlan(planning);
    terminal.progress(undefined);
    await work(plan, planning, file);
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  } finally {
    terminal.progress(undefined);
    await caller.close();
  }
}

async function show(plan: OrganisationPlan, context: Context): Promise<void> {
  const changes = changesOf(plan);
  async function* once() {
    yield changes;
  }
  await print(once(), plan, context);
  if (changes.length > 0) context.terminal.note(`Would ${summary(changes)}.`);
}

/** Asks for confirmation before anything is deleted. */
async function confirmRemovals(plan: OrganisationPlan, context: Context): Promise<void> {
  const gone = changesOf(plan).filter((change) => isRemoval({ change }));
  if (gone.length === 0) return;
  context.terminal.note(`--prune will ${summary(gone)}.`);
  await requireConfirmation(context, async () => sentence(summary(gone), "?"));
}

const sentence = (text: string, end = ".") => `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;

async function carryOut(work: ApplyContext, refusals: string[], context: Context): Promise<void> {
  const { terminal } = context;
  const all = changesOf(work.plan);
  const done: Done[] = [];
  let failure: unknown;
  async function* made() {
    try {
      for await (const some of steps(work, refusals)) {
        done.push(...some);
        terminal.progress(undefined);
        yield some;
        // Lets Ctrl-C interrupt: a local database answers without returning to the event loop.
        await breathe();
        terminal.progress(`applying  ${bar(done.length / all.length)}  ${done.length} of ${all.length}`);
      }
    } catch (error) {
      failure = work.signal.aborted ? new Interrupted() : error;
    }
  }
  await print(made(), work.plan, context);
  terminal.progress(undefined);
  if (done.length > 0) terminal.note(sentence(summary(done, "past")));
  for (const line of refusals) terminal.complain(`${terminal.sanitizeLine(line)}\n`);
  if (failure === undefined && refusals.length === 0) return;
  const names = new Set(done.map(({ kind, name }) => `${kind} ${name}`));
  const left = all.filter(({ kind, name }) => !names.has(`${kind} ${name}`));
  terminal.note(`Not applied: ${summary(left)}.`);
  terminal.note("The applied changes are kept. Run the same command again to apply the rest.");
  throw (
    failure ??
    new ServiceError(
      "validation_failed",
      refusals.length === 1 ? "1 entry was not applied." : `${refusals.length} entries were not applied.`,
    )
  );
}

/** Runs the steps in order, and stops after one that failed in part, because later steps may depend on it. */
async function* steps(work: ApplyContext, refusals: readonly string[]): AsyncGenerator<Done[]> {
  for (const step of [applyUserTypes, applyUnits, applyUsers, applyWebhooks, applyRemovals]) {
    yield* step(work);
    if (refusals.length > 0) return;
  }
}
