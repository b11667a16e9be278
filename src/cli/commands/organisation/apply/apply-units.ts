import { units } from "../../../../contract/units.ts";
import type { FileRow } from "../../../file-io/file-rows.ts";
import { requireOutcomes } from "../../../file-io/require-outcomes.ts";
import { fieldSentences } from "../../../output/field-sentences.ts";
import type { Done } from "../../print-changes.ts";
import { isRemoval, pickChanged, type Task, touches } from "../plan/change.ts";
import { type ApplyContext, departmentKey, idOfReference, inBatches } from "./apply-context.ts";

/** Fields that the import of units accepts; other fields take a request each. */
const columns = ["name", "parent", "unit_type", "description"] as const;
const details = ["contact", "addresses", "opening_hours", "geo"] as const;

const maxUnitRows = 500;

/** Creates, changes and moves units level by level, so that each comes after its future parent. */
export async function* applyUnits(work: ApplyContext): AsyncGenerator<Done[]> {
  const { plan } = work;
  const tasks = plan.tasks.units.filter((task) => !isRemoval(task));
  const levels = Map.groupBy(tasks, ({ change }) => plan.units.levelOf(change.name));
  for (const [, level] of [...levels].sort(([a], [b]) => a - b)) yield* applyLevel(level, work);
}

async function* applyLevel(tasks: readonly Task<"units">[], work: ApplyContext): AsyncGenerator<Done[]> {
  const inRows = tasks.filter(isForImport);
  for await (const batch of inBatches(inRows, rowOf, maxUnitRows)) {
    const { results } = await work.caller.call(units.import, { rows: [...batch.rows] });
    const outcomes = requireOutcomes(results, batch.rows, false);
    const good = batch.tasks.filter((task, at) => {
      // There is an outcome for each row.
      const { id, fields } = outcomes[at]!;
      if (fields) work.refusals.push({ path: task.path, what: fieldSentences(fields).join("; ") });
      else if (id !== null) work.directory.units.set(task.change.name, id);
      return !fields;
    });
    for (const task of good) await applyDetails(task, work);
    yield good.map(({ change }) => change);
  }
  for (const task of tasks.filter((each) => !isForImport(each))) {
    await applyDetails(task, work);
    yield [task.change];
  }
}

const isForImport = ({ change }: Task<"units">): boolean => change.action === "create" || touches(change, columns);

function rowOf(task: Task<"units">): FileRow {
  const { reference, name } = task.after;
  const changed = Object.entries(pickChanged(task, columns)).map(([field, value]) => [field, value ?? ""]);
  return { reference, name, ...Object.fromEntries(changed) };
}

async function applyDetails(task: Task<"units">, { caller, directory }: ApplyContext): Promise<void> {
  const { change, before, after } = task;
  const id = idOfReference(directory.units, after.reference);
  if (touches(change, details)) await caller.call(units.update, { id, ...pickChanged(task, details) });
  if (!touches(change, ["departments"])) return;
  const [old = [], wanted = []] = [before?.departments, after.departments];
  for (const name of wanted.filter((each) => !old.includes(each))) {
    const added = await caller.call(units.departmentAdd, { id, name });
    directory.departments.set(departmentKey(after.reference, name), added.id);
  }
  for (const name of old.filter((each) => !wanted.includes(each))) {
    const department = idOfReference(directory.departments, departmentKey(after.reference, name));
    await caller.call(units.departmentRemove, { id, department });
  }
}
