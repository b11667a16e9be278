import type { DatabaseSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import { unknownOutcome } from "../unknown-outcome.ts";
import { SqliteConnection, streamQuery } from "./sqlite-driver.ts";
import { isIoError } from "./sqlite-errors.ts";

/** Milliseconds after which a group accepts no more transactions, because its members wait for its end. */
const maxGroupDuration = 5;

interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Transactions that are committed together. */
interface Group {
  readonly until: number;
  readonly end: PromiseWithResolvers<void>;
  /** True once the first member succeeded, and so for all further members. */
  kept: boolean;
  /** Statements of the members that succeeded, to run just before the commit. */
  readonly later: Statement[];
}

/** Starts a transaction as soon as other processes allow it; unless `mayWait`, only if they allow it at once. */
type Begin = (connection: DatabaseSync, mayWait: boolean) => Promise<void>;

/** The connection, lent for one transaction. */
class Loan implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  /** True after the connection was passed on. */
  ended = false;
  failure: unknown;
  readonly later: Statement[] = [];
  /** The time when the transaction asked for the connection. */
  readonly since: number;
  readonly streamQuery = streamQuery;

  constructor(connection: SqliteConnection, since: number) {
    this.#connection = connection;
    this.since = since;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#connection.executeQuery<R>(query);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

/**
 * Runs transactions one after the other on one connection. Transactions that wait at the same time are committed together,
 * because the disk takes the most time. Each ends with the commit of the group: begin, the work of the first, then savepoint, work
 * and release for each further one, then the statements of `runLater`, commit. A savepoint lets a failed one leave nothing behind.
 * The first has none, because SQLite keeps copies of changed pages in a temporary file until a savepoint ends: if the first
 * fails, its group ends.
 */
export class WritingDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #begin: Begin;
  readonly #committed: () => void;
  readonly #waiting: (() => void)[] = [];
  #lent = false;
  #loan: Loan | undefined;
  #group: Group | undefined;
  /** The time when a transaction last could not begin. */
  #refusedAt = 0;

  /** `committed` runs after each commit. */
  constructor(connection: DatabaseSync, begin: Begin, committed: () => void) {
    this.#connection = new SqliteConnection(connection);
    this.#begin = begin;
    this.#committed = committed;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Loan> {
    const since = performance.now();
    if (this.#lent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#lent = true;
    this.#loan = new Loan(this.#connection, since);
    return this.#loan;
  }

  /** Runs a query of the transaction that has the connection at once; for `runDirectly`. */
  run(sql: string, parameters: readonly unknown[]): unknown[] {
    try {
      return this.#connection.all(sql, parameters);
    } catch (error) {
      // Its transaction has the connection.
      this.#loan!.failure = error;
      throw error;
    }
  }

  /** Runs a statement of the transaction that has the connection just before the commit; for `runTextLater`. */
  runLater(text: string, parameters: readonly unknown[]): void {
    // Its transaction has the connection.
    this.#loan!.later.push({ text, parameters });
  }

  async beginTransaction(loan: Loan): Promise<void> {
    if (this.#group === undefined) {
      // Transactions that arrive in the same turn join the group.
      await new Promise(setImmediate);
      // One that waited while another one could not begin has waited for the same process.
      await this.#begin(this.#connection.raw, loan.since > this.#refusedAt).catch((error) => {
        this.#refusedAt = performance.now();
        throw error;
      });
      this.#group = {
        until: performance.now() + maxGroupDuration,
        end: Promise.withResolvers(),
        kept: false,
        later: [],
      };
    } else this.#connection.raw.exec("savepoint member");
  }

  async commitTransaction(loan: Loan): Promise<void> {
    // beginTransaction has set it.
    const group = this.#group!;
    if (group.kept) this.#connection.raw.exec("release member");
    group.kept = true;
    group.later.push(...loan.later);
    this.#passOn(loan, group);
    await group.end.promise;
  }

  async rollbackTransaction(loan: Loan): Promise<void> {
    // The commit of its group has failed.
    if (loan.ended) return;
    // beginTransaction has set it.
    const group = this.#group!;
    if (this.#connection.raw.isTransaction && group.kept) {
      this.#connection.raw.exec("rollback to member");
      this.#connection.raw.exec("release member");
      this.#passOn(loan, group);
    } else if (this.#connection.raw.isTransaction) {
      this.#end(group);
    } else {
      // A full disk or an I/O error has rolled back the whole group.
      this.#group = undefined;
      group.end.reject(loan.failure);
    }
    // The failure may depend on the work of a member that is not committed yet.
    await group.end.promise.catch(() => {});
  }

  async releaseConnection(loan: Loan): Promise<void> {
    // Those of a group were passed on when their transactions ended.
    if (!loan.ended) this.#passOn(loan, undefined);
  }

  async destroy(): Promise<void> {}

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
      for (const { text, parameters } of group.later) this.#connection.all(text, parameters);
      raw.exec(group.kept ? "commit" : "rollback");
      this.#committed();
      group.end.resolve();
    } catch (error) {
      if (raw.isTransaction) raw.exec("rollback");
      group.end.reject(isIoError(error) ? unknownOutcome(error) : error);
    }
  }
}
