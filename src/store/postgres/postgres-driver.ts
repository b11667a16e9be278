import { CompiledQuery, type DatabaseConnection, PostgresDriver, type TransactionSettings } from "kysely";
import pg from "pg";
import { unknownOutcome } from "../unknown-outcome.ts";
import { readOnlyState } from "./watch-answers.ts";

/** Seconds that a transaction waits for the locks of others, or repeats after conflicts with them. */
export const lockTimeoutSeconds = 10;
/** Seconds without a statement after which PostgreSQL ends a transaction, whose process was stopped or whose machine has vanished. */
const idleSeconds = 30;

const limits = `set local lock_timeout = '${lockTimeoutSeconds}s'; set local idle_in_transaction_session_timeout = '${idleSeconds}s'`;

/** Limits how long a transaction waits, and distinguishes a commit that PostgreSQL refused from one whose answer was lost. */
export class PostgresWritingDriver extends PostgresDriver {
  /** Sets the limits in the same round trip, and not for the session, which would stay with a connection of a pooler. */
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const start = `start transaction isolation level ${settings.isolationLevel}; ${limits}`;
    await connection.executeQuery(CompiledQuery.raw(start)).catch((error) => {
      // To a standby, the isolation level is a feature that is missing.
      throw error.code === "0A000" ? Object.assign(error, { code: readOnlyState }) : error;
    });
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      throw isRefusal(error) ? error : unknownOutcome(error);
    }
  }

  /** Keeps the first error, which says more than that of a failing rollback. */
  override async rollbackTransaction(connection: Parameters<PostgresDriver["rollbackTransaction"]>[0]): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}

/** SQLSTATEs after which the outcome of the transaction is unknown: lost connections, and 40003. */
const uncertain = /^(08|57P|40003)/;

/** Returns true when the server said that it rolled the transaction back. */
function isRefusal(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !uncertain.test(error.code ?? "");
  // Kysely throws this for a commit that PostgreSQL completed as a rollback.
  return (error as Error).name === "AbortedTransactionError";
}
