import type { Tx } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";

/** Changes rows of a database past the service, to what an older version of it took. */
export async function changeDirectly(target: string, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const database = await openDatabase(target);
  try {
    await database.write(async (tx) => void (await work(tx)));
  } finally {
    await database.close();
  }
}
