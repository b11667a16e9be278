import type { Database } from "../../store/database.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Runs `work` with a database, explains its failures, and closes the database. Ctrl-Z waits for the end of a transaction. */
export async function withDatabase<T>(
  { terminal }: { readonly terminal: Terminal },
  opening: Promise<Database>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await opening;
  terminal.signals.delayStop(database.isWriting);
  try {
    return await work(database);
  } catch (error) {
    throw database.explain(error);
  } finally {
    await database.close();
  }
}
