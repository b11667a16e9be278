import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";

const cachedStatements = 500;

/** Binds lists as JSON, for json_each. PostgreSQL binds them as arrays. */
function bound(value: unknown): SQLInputValue {
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
}

type Row = Record<string, unknown>;

interface Prepared {
  readonly statement: StatementSync;
  names: readonly string[];
  /** Number of rows that were named one by one, until `toRow` is compiled. */
  named: number;
  toRow: ((values: readonly unknown[]) => Row) | undefined;
}

/** Compiling takes as long as naming about this many rows; most statements of a command return fewer. */
const compileAfter = 500;

/** Returns rows as plain objects. Those of `node:sqlite` have no prototype and are slow to read. */
function rowsOf(prepared: Prepared, values: readonly SQLInputValue[]): Row[] {
  const rows: readonly unknown[] = prepared.statement.all(...values);
  return rows.map((each) => toRow(prepared, each as readonly unknown[]));
}

function toRow(prepared: Prepared, values: readonly unknown[]): Row {
  // A migration by another program changes what `select *` returns.
  if (values.length !== prepared.names.length) {
    prepared.names = namesOf(prepared.statement);
    prepared.toRow = undefined;
  }
  const { names } = prepared;
  if (prepared.toRow !== undefined) return prepared.toRow(values);
  prepared.named += 1;
  if (prepared.named > compileAfter) prepared.toRow = compileRow(names);
  const row: Row = {};
  for (const [at, name] of names.entries()) row[name] = values[at];
  return row;
}

/** Returns a function that creates all properties of a row at once, which takes a tenth of the time of adding each. */
function compileRow(names: readonly string[]): (values: readonly unknown[]) => Row {
  const properties = names.map((name, at) => `${JSON.stringify(name)}: values[${at}]`);
  return new Function("values", `return { ${properties.join(", ")} };`) as (values: readonly unknown[]) => Row;
}

const namesOf = (statement: StatementSync) => statement.columns().map(({ name }) => name);

/** Kysely asks for it; wcs reads all rows at once. */
export const streamQuery: DatabaseConnection["streamQuery"] = () => {
  throw new Error("queries are not streamed");
};

export class SqliteConnection implements DatabaseConnection {
  readonly raw: DatabaseSync;
  readonly streamQuery = streamQuery;
  readonly #statements = new Map<string, Prepared>();

  constructor(raw: DatabaseSync) {
    this.raw = raw;
  }

  all(sql: string, parameters: readonly unknown[]): unknown[] {
    return rowsOf(this.#prepare(sql), parameters.map(bound));
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const prepared = this.#prepare(sql);
    const values = parameters.map(bound);
    if (prepared.names.length > 0) return { rows: rowsOf(prepared, values) as R[] };
    return { rows: [], numAffectedRows: BigInt(prepared.statement.run(...values).changes) };
  }

  #prepare(sql: string): Prepared {
    let known = this.#statements.get(sql);
    if (known === undefined) {
      const statement = this.raw.prepare(sql);
      statement.setReturnArrays(true);
      known = { statement, names: namesOf(statement), named: 0, toRow: undefined };
      if (this.#statements.size >= cachedStatements) this.#statements.clear();
      this.#statements.set(sql, known);
    }
    return known;
  }
}

/** A driver with one connection. Kysely lends it to one borrower at a time, since SqliteAdapter does not support several. */
export class ReadingDriver implements Driver {
  readonly #connection: SqliteConnection;

  constructor(connection: DatabaseSync) {
    this.#connection = new SqliteConnection(connection);
  }

  /** Runs a query at once; for `runDirectly`. */
  run(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.#connection.all(sql, parameters);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error("the reader has no transactions");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {}
}
