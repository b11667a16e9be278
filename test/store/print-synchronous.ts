/** Prints how far the connection that writes takes a commit before it returns, in a process without `quick-commits.ts`. */
import { sql } from "kysely";
import { openDatabase } from "../../src/store/open-database.ts";

const database = await openDatabase(process.argv[2] ?? "");
await database.write(async (tx) => {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
  process.stdout.write(`${rows[0]?.synchronous}\n`);
});
await database.close();
