import type { FieldIssues } from "../contract/errors.ts";
import type { AnyOperation } from "../contract/operation.ts";
import type { Ctx } from "./pipeline/context.ts";

type Handler = (ctx: Ctx, input: unknown) => Promise<unknown>;
type Check = (ctx: Ctx, known: unknown, isWrong: (field: string) => boolean) => Promise<FieldIssues>;
type Functions = Readonly<Record<string, Handler | Check>>;

const handlers = new Map<string, Handler>();

/** Returns the function that executes an operation. Loads the handlers of its group on first use. */
export function findHandler(op: AnyOperation): Handler | Promise<Handler> {
  return handlers.get(op.name) ?? loadHandler(op);
}

async function loadHandler(op: AnyOperation): Promise<Handler> {
  const handler = await find<Handler>(op);
  if (handler === undefined) throw new Error(`${op.name} has no handler`);
  handlers.set(op.name, handler);
  return handler;
}

/** Returns the rule of an operation that refuses large bodies early, if it has one; see `Admission`. */
export const findAdmission = (op: AnyOperation) => find<Handler>(op, "admission");

/** Returns the function that checks fields of an operation against each other and against data; see `Checks`. */
export const findCheck = (op: AnyOperation) => find<Check>(op, "checks");

/** Returns the function for an operation in an object that its group exports: by default, in that of the handlers. */
async function find<F extends Handler | Check>({ name }: AnyOperation, exported?: "admission" | "checks") {
  const [group, verb] = name.split(".") as [string, string];
  const functions: Partial<Record<string, Functions>> = await import(`./${group}/${group}-operations.ts`);
  return functions[exported ?? group]?.[verb] as F | undefined;
}
