import { type DatabaseConnection, PostgresDriver } from "kysely";
import pg from "pg";
import { unknownOutcome } from "./unknown-outcome.ts";

/** Tells a commit that PostgreSQL refused from one whose answer was lost. */
export class PostgresWritingDriver extends PostgresDriver {
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      throw isRefusal(error) ? error : unknownOutcome(error);
    }
  }

  /** Keeps the error that led here: it says more than a rollback that fails, too. */
  override async rollbackTransaction(connection: Parameters<PostgresDriver["rollbackTransaction"]>[0]): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}

/** SQLSTATEs that do not tell what became of the transaction: a connection that ends, and 40003. */
const uncertain = /^(08|57P|40003)/;

/** Returns true when the server said that it rolled the transaction back. */
function isRefusal(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !uncertain.test(error.code ?? "");
  // Kysely's, for a commit that PostgreSQL completed as a rollback.
  return (error as Error).name === "AbortedTransactionError";
}
