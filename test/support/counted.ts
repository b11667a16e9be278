import type { KyselyPlugin } from "kysely";
import type { Database } from "../../src/store/database.ts";

/** The same database, with a count of the statements that are sent to it. */
export function counted(database: Database): { readonly database: Database; statements(): number } {
  let count = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      count += 1;
      return result;
    },
  };
  return {
    database: {
      ...database,
      reader: database.reader.withPlugin(counter),
      write: (work) => database.write((tx) => work(tx.withPlugin(counter))),
      writeLocking: (work) => database.writeLocking((tx) => work(tx.withPlugin(counter))),
    },
    statements: () => count,
  };
}
