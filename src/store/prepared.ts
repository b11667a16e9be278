import { CompiledQuery, type DialectAdapter, type Kysely } from "kysely";
import { Parameter } from "./query-parameter.ts";
import type { Schema } from "./schema/schema.ts";

type Run = (sql: string, parameters: readonly unknown[]) => unknown[] | Promise<unknown[]>;

interface Direct {
  readonly dialect: "sqlite" | "postgres";
  readonly run: Run;
}

const directRunners = new WeakMap<object, Direct>();

/** Makes prepared queries on this database, or with this adapter, run by `run`, because passing through Kysely's queue takes longer. */
export function runDirectly(owner: Kysely<Schema> | DialectAdapter, dialect: Direct["dialect"], run: Run): void {
  directRunners.set(owner, { dialect, run });
}

/** Returns the database if it was given to `runDirectly`, so that Kysely is not loaded for it, else its adapter. */
const ownerOf = (db: Kysely<Schema>): object => (directRunners.has(db) ? db : db.getExecutor().adapter);

/** Runs a statement that is text already, without passing through Kysely's queue where `runDirectly` allows that. */
export async function runText<R>(db: Kysely<Schema>, text: string, parameters: readonly unknown[]): Promise<R[]> {
  const owner = ownerOf(db);
  const direct = owner === db || db.getExecutor().plugins.length === 0 ? directRunners.get(owner) : undefined;
  if (direct !== undefined) return direct.run(text, parameters) as R[] | Promise<R[]>;
  return (await db.executeQuery<R>(CompiledQuery.raw(text, [...parameters]))).rows;
}

const laterRunners = new WeakMap<object, (text: string, parameters: readonly unknown[]) => void>();

/** Makes statements of `runTextLater` on databases with this adapter run by `run`, which puts them off until the commit. */
export function runLater(adapter: DialectAdapter, run: (text: string, parameters: readonly unknown[]) => void): void {
  laterRunners.set(adapter, run);
}

/** Runs a statement that the transaction does not need; on SQLite just before the commit: FTS5 writes all it holds at each savepoint. */
export async function runTextLater(db: Kysely<Schema>, text: string, parameters: readonly unknown[]): Promise<void> {
  const run = laterRunners.get(ownerOf(db));
  if (run === undefined) await runText(db, text, parameters);
  else run(text, parameters);
}

const preparedTexts = new Set<string>();

export const isPrepared = (text: string): boolean => preparedTexts.has(text);

/** A parameter of a statement: a constant, or the value of that name. `isItem` takes the only item of a list. */
type Slot = { readonly constant: unknown } | { readonly name: string; readonly isItem: boolean };

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Slot[];
}

/** The statement for SQLite of a query whose lists, named by `lists`, have one item. */
export interface BuiltStatement extends Statement {
  readonly lists: readonly string[];
}

/** Builds a query with placeholders for the values of a run. */
export type Build<P, R> = (db: Kysely<Schema>, parameters: P) => { compile(db: Kysely<Schema>): CompiledQuery<R> };

type PreparedQuery<P, R> = (db: Kysely<Schema>, values: P) => Promise<R[]>;

/** Returns a query that is compiled once for each database and for lists of one value: compiling takes long. */
export function prepared<P extends object, R>(build: Build<P, R>): PreparedQuery<P, R> {
  return preparedWith(undefined, build);
}

/** Returns the same as `prepared`, with a statement that was compiled before. Inserted by the build; see `scripts/built-statements.ts`. */
export function preparedWith<P extends object, R>(
  built: BuiltStatement | undefined,
  build: Build<P, R>,
): PreparedQuery<P, R> {
  /** Names of the parameters that `in` compares with, known after the first compilation. */
  const lists = new Set(built?.lists);
  const isOne = (values: P, name: string) => (values[name as keyof P] as readonly unknown[]).length === 1;
  /** Returns a number with a bit for each list of one item: each combination is a statement of its own. */
  const formOf = (values: P): number => {
    let form = 0;
    let bit = 1;
    for (const name of lists) {
      if (isOne(values, name)) form |= bit;
      bit <<= 1;
    }
    return form;
  };
  const compiled = new WeakMap<object, Map<number, Statement>>();
  const formsFor = (db: Kysely<Schema>): Map<number, Statement> => {
    const owner = ownerOf(db);
    let forms = compiled.get(owner);
    if (forms === undefined) {
      forms = new Map();
      if (built && directRunners.get(owner)?.dialect === "sqlite") forms.set((1 << built.lists.length) - 1, built);
      compiled.set(owner, forms);
    }
    return forms;
  };
  return (db, values) => {
    const forms = formsFor(db);
    let statement = forms.get(formOf(values));
    if (statement === undefined) {
      statement = compileStatement(build, db, (name) => {
        lists.add(name);
        return isOne(values, name);
      });
      // The first compilation has found the lists, so the form is known only now.
      forms.set(formOf(values), statement);
    }
    return runText(
      db,
      statement.sql,
      statement.parameters.map((slot) => boundValue(slot, values)),
    );
  };
}

/** Compiles a query. `markAsList` receives the names of lists, and returns true for a list of one item. */
export function compileStatement<P extends object, R>(
  build: Build<P, R>,
  db: Kysely<Schema>,
  markAsList: (name: string) => boolean,
): Statement {
  const parameterOf = (_: object, name: string) => new Parameter(name, () => markAsList(name));
  const { sql, parameters } = build(db, new Proxy({} as P, { get: parameterOf as never })).compile(db);
  preparedTexts.add(sql);
  return { sql, parameters: parameters.map(slotOf) };
}

const slotOf = (value: unknown): Slot =>
  value instanceof Parameter ? { name: value.name, isItem: value.isItem } : { constant: value };

function boundValue(slot: Slot, values: object): unknown {
  if ("constant" in slot) return slot.constant;
  const value = (values as Record<string, unknown>)[slot.name];
  return slot.isItem ? (value as unknown[])[0] : value;
}
