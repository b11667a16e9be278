import { setImmediate as breathe } from "node:timers/promises";
import { ServiceError } from "../../contract/errors.ts";
import { agree } from "../confirm.ts";
import { ConditionError, Interrupted } from "../failure.ts";
import { bar } from "../progress-bar.ts";
import type { Context } from "../tree.ts";
import { applyRemovals } from "./apply-removals.ts";
import { applyUnits } from "./apply-units.ts";
import { applyUsers } from "./apply-users.ts";
import { applyUserTypes } from "./apply-usertypes.ts";
import { applyWebhooks } from "./apply-webhooks.ts";
import { isRemoval } from "./change.ts";
import { createDirectory } from "./directory.ts";
import { loadHeld } from "./held.ts";
import { makePlan, type Plan } from "./plan.ts";
import type { Planning } from "./planning.ts";
import { tryPlan } from "./preflight.ts";
import { type ReadFile, readOrganisation } from "./reading.ts";
import { changesOf, print, summary } from "./results.ts";
import type { Done, Work } from "./working.ts";

/** `wcs diff`: shows what apply would do. */
export async function diff(context: Context): Promise<void> {
  let differs = false;
  await withPlan(context, async (plan) => {
    differs = changesOf(plan).length > 0;
    await show(plan, context);
  });
  if (differs && context.flags.exitCode === true) throw new ConditionError("there are differences");
}

/** `wcs apply`: makes an instance what a file says. */
export async function apply(context: Context): Promise<void> {
  const { terminal, flags } = context;
  await withPlan(context, async (plan, planning, { label, mistakes }) => {
    await tryPlan(plan, planning);
    if (flags.dryRun === true) {
      await show(plan, context);
      return terminal.note("Dry run: nothing was changed.");
    }
    if (changesOf(plan).length === 0) {
      await show(plan, context);
      return terminal.note(`Nothing to do: all is as ${terminal.plain(label)} says.`);
    }
    await confirmRemovals(plan, context);
    const refusals: string[] = [];
    const { caller, signal, held } = planning;
    const refused: Work["refused"] = (path, reasons) => {
      refusals.push(`${mistakes.place(path)} ${reasons.join("; ")}`);
    };
    await carryOut({ caller, signal, held, plan, directory: createDirectory(held, plan), refused }, refusals, context);
  });
}

/** Reads the file, connects, compares, and hands over what is to be done. */
async function withPlan(
  context: Context,
  work: (plan: Plan, planning: Planning, file: ReadFile) => Promise<void>,
): Promise<void> {
  const { terminal, flags } = context;
  const stop = new AbortController();
  const { signal } = stop;
  const file = await readOrganisation(context);
  const { caller } = await context.connect();
  // What stands half done is best left at a request's end.
  terminal.onInterrupt(() => stop.abort(new Interrupted()));
  try {
    terminal.progress("comparing");
    const { organisation, mistakes } = file;
    const watch = (users: number) => terminal.progress(`comparing users  ${users.toLocaleString("en")}`);
    const held = await loadHeld(caller, signal);
    const planning = { caller, signal, organisation, mistakes, held, prune: flags.prune === true, watch };
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

async function show(plan: Plan, context: Context): Promise<void> {
  const changes = changesOf(plan);
  async function* once() {
    yield changes;
  }
  await print(once(), plan, context);
  if (changes.length > 0) context.terminal.note(`Would ${summary(changes)}.`);
}

/** Nobody loses anything by a mistake in the file without having been asked. */
async function confirmRemovals(plan: Plan, context: Context): Promise<void> {
  const gone = changesOf(plan).filter((change) => isRemoval({ change }));
  if (gone.length === 0) return;
  context.terminal.note(`--prune will ${summary(gone)}.`);
  await agree(context, async () => sentence(summary(gone), "?"));
}

const sentence = (text: string, end = ".") => `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;

async function carryOut(work: Work, refusals: string[], context: Context): Promise<void> {
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
        // Nothing else may give Ctrl-C a turn: a local database answers at once.
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
  for (const line of refusals) terminal.complain(`${terminal.plain(line)}\n`);
  if (failure === undefined && refusals.length === 0) return;
  const names = new Set(done.map(({ kind, name }) => `${kind} ${name}`));
  const left = all.filter(({ kind, name }) => !names.has(`${kind} ${name}`));
  terminal.note(`Not done: ${summary(left)}.`);
  terminal.note("What is done stays; the same command again takes the rest.");
  throw (
    failure ??
    new ServiceError(
      "validation_failed",
      refusals.length === 1 ? "1 entry did not go in." : `${refusals.length} entries did not go in.`,
    )
  );
}

/** Each step, unless the one before it left something out: what follows may need it. */
async function* steps(work: Work, refusals: readonly string[]): AsyncGenerator<Done[]> {
  for (const step of [applyUserTypes, applyUnits, applyUsers, applyWebhooks, applyRemovals]) {
    yield* step(work);
    if (refusals.length > 0) return;
  }
}
