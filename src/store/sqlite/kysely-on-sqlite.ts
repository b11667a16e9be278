import { type Driver, Kysely, SqliteAdapter, SqliteIntrospector } from "kysely";
import type { Schema } from "../schema/schema.ts";
import { LiteralCompiler } from "./literal-compiler.ts";

export function createKysely(driver: Driver, adapter = new SqliteAdapter()): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new LiteralCompiler(),
    },
  });
}

/** The adapter of the connection that writes. */
export class WritingAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Lets Kysely lend several connections, because the driver queues transactions itself. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
