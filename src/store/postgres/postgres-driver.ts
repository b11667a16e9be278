import { type DatabaseConnection, PostgresDriver } from "kysely";
import pg from "pg";
import { unknownOutcome } from "../unknown-outcome.ts";

/** Distinguishes a commit that PostgreSQL refused from one whose answer was lost. */
export class PostgresWritingDriver extends PostgresDriver {
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
