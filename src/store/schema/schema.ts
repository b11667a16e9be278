import type { Selectable } from "kysely";
import type { initialTables } from "../migrations/0001-initial-schema.ts";
import type { TablesOf } from "./table.ts";

/**
 * The tables after all migrations. Times are Unix seconds, nested values JSON text. The table `message_words` is not typed,
 * because it differs between the databases.
 */
export interface Schema extends TablesOf<typeof initialTables> {}

/** A row of a table as it is read, or some of its columns. */
export type RowOf<T extends keyof Schema, C extends keyof Schema[T] = keyof Schema[T]> = Readonly<
  Selectable<Pick<Schema[T], C>>
>;
