import type { FieldErrors } from "../contract/errors.ts";
import type { AnyOperation } from "../contract/operation.ts";
import type { Ctx } from "./pipeline/context.ts";

type Handler = (ctx: Ctx, input: unknown) => Promise<unknown>;
type Check = (ctx: Ctx, known: unknown, isWrong: (field: string) => boolean) => Promise<FieldErrors>;
type Functions = Readonly<Record<string, Handler | Check>>;

const handlers = new Map<string, Handler>();

/** Returns the function that executes an operation: the one of its name among the handlers of its group. */
export async function findHandler({ name }: AnyOperation): Promise<Handler> {
  const known = handlers.get(name);
  if (known !== undefined) return known;
  const [group, verb] = namesIn(name);
  const handler = (await loadGroup(group))[group]?.[verb] as Handler | undefined;
  if (handler === undefined) throw new Error(`${name} has no handler`);
  handlers.set(name, handler);
  return handler;
}

/** Returns the rule of an operation that refuses large bodies early, if it has one; see `Admission`. */
export async function findAdmission({ name }: AnyOperation): Promise<Handler | undefined> {
  const [group, verb] = namesIn(name);
  return (await loadGroup(group)).admission?.[verb] as Handler | undefined;
}

/** Returns the function that checks fields of an operation against each other and against data; see `Checks`. */
export async function findCheck({ name }: AnyOperation): Promise<Check | undefined> {
  const [group, verb] = namesIn(name);
  return (await loadGroup(group)).checks?.[verb] as Check | undefined;
}

const namesIn = (name: string) => name.split(".") as [string, string];

function loadGroup(group: string): Promise<Partial<Record<string, Functions>>> {
  return import(`./${group}/${group}-operations.ts`);
}
