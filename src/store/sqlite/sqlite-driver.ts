import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import { unknownOutcome } from "../unknown-outcome.ts";

const cachedStatements = 500;

/** Binds lists as JSON, for json_each. PostgreSQL binds them as arrays. */
function bound(value: unknown): SQLInputValue {
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
}

type Row = Record<string, unknown>;

/** A prepared statement with the names of its columns. */
interface Prepared {
  readonly statement: StatementSync;
  names: readonly string[];
  /** Number of rows that were named one by one, until `toRow` is compiled. */
  named: number;
  toRow: ((values: readonly unknown[]) => Row) | undefined;
}

/** Compiling takes as long as naming about this many rows; most statements of a command return fewer. */
const compileAfter = 500;

/**
 * Returns rows as plain objects. Those that `node:sqlite` makes take as long to create, and are slow to read, because they have
 * no prototype.
 */
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

class SqliteConnection implements DatabaseConnection {
  readonly raw: DatabaseSync;
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
    const { changes, lastInsertRowid } = prepared.statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.raw.prepare(sql).iterate(...parameters.map(bound))) yield { rows: [row as R] };
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

  async destroy(): Promise<void> {
    this.#connection.raw.close();
  }
}

/** Milliseconds after which a group accepts no more transactions, because its members wait for its end. */
const longEnough = 5;

/** Transactions that are committed together. */
interface Group {
  readonly until: number;
  readonly end: PromiseWithResolvers<void>;
  /** True once a member succeeded. */
  kept: boolean;
}

/** The connection, lent for one transaction. */
class Loan implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  /** True after the connection was passed on. */
  ended = false;
  failure: unknown;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#connection.executeQuery<R>(query);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query);
  }
}

/**
 * Runs transactions one after the other on one connection. Transactions that wait at the same time are committed together,
 * because the disk takes the most time. Each has a savepoint, so that a failed one leaves nothing behind, and each ends with
 * the commit of the group.
 */
export class WritingDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #begin: (connection: DatabaseSync) => Promise<void>;
  readonly #committed: () => void;
  readonly #waiting: (() => void)[] = [];
  #lent = false;
  #loan: Loan | undefined;
  #group: Group | undefined;

  /** `begin` starts a transaction as soon as other processes allow it; `committed` runs after each commit. */
  constructor(connection: DatabaseSync, begin: (connection: DatabaseSync) => Promise<void>, committed: () => void) {
    this.#connection = new SqliteConnection(connection);
    this.#begin = begin;
    this.#committed = committed;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Loan> {
    if (this.#lent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#lent = true;
    this.#loan = new Loan(this.#connection);
    return this.#loan;
  }

  /** Runs a query of the transaction that has the connection at once; for `runDirectly`. */
  run(sql: string, parameters: readonly unknown[]): unknown[] {
    try {
      return this.#connection.all(sql, parameters);
    } catch (error) {
      if (this.#loan !== undefined) this.#loan.failure = error;
      throw error;
    }
  }

  async beginTransaction(): Promise<void> {
    const { raw } = this.#connection;
    if (this.#group === undefined) {
      // Transactions that arrive in the same turn join the group.
      await new Promise(setImmediate);
      await this.#begin(raw);
      this.#group = { until: performance.now() + longEnough, end: Promise.withResolvers(), kept: false };
    }
    raw.exec("savepoint member");
  }

  async commitTransaction(loan: Loan): Promise<void> {
    // beginTransaction has set it.
    const group = this.#group!;
    this.#connection.raw.exec("release member");
    group.kept = true;
    this.#passOn(loan, group);
    await group.end.promise;
  }

  async rollbackTransaction(loan: Loan): Promise<void> {
    const group = this.#group;
    // The commit of its group has failed.
    if (loan.ended || group === undefined) return;
    const { raw } = this.#connection;
    if (raw.isTransaction) {
      raw.exec("rollback to member");
      raw.exec("release member");
      this.#passOn(loan, group);
    } else {
      // A full disk or an I/O error has rolled back the whole group.
      this.#group = undefined;
      group.end.reject(loan.failure);
      this.#passOn(loan, undefined);
    }
    // The failure may depend on the work of a member that is not committed yet.
    await group.end.promise.catch(() => {});
  }

  async releaseConnection(loan: Loan): Promise<void> {
    // Other loans were passed on when their transactions ended.
    if (!loan.ended) this.#passOn(loan, undefined);
  }

  async destroy(): Promise<void> {
    this.#connection.raw.close();
  }

  /** Passes the connection to the next transaction, in the same group if there is time; else ends the group first. */
  #passOn(loan: Loan, group: Group | undefined): void {
    loan.ended = true;
    if (group !== undefined && (this.#waiting.length === 0 || performance.now() > group.until)) this.#end(group);
    const next = this.#waiting.shift();
    if (next === undefined) this.#lent = false;
    else next();
  }

  #end(group: Group): void {
    this.#group = undefined;
    const { raw } = this.#connection;
    try {
      raw.exec(group.kept ? "commit" : "rollback");
      this.#committed();
      group.end.resolve();
    } catch (error) {
      if (raw.isTransaction) raw.exec("rollback");
      group.end.reject(group.kept && isIoError(error) ? unknownOutcome(error) : error);
    }
  }
}

/**
 * Returns true for SQLITE_IOERR. At a commit the transaction can be complete in the write-ahead log although syncing it
 * failed: the next process that opens the file then finds it committed.
 */
function isIoError(error: unknown): boolean {
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 10;
}
