import type { Kysely } from "kysely";
import { columnTypes, isPostgres, statements } from "../dialect.ts";
import { audienceTables } from "./initial-schema/audience-tables.ts";
import { conversationTables, wordIndex } from "./initial-schema/conversation-tables.ts";
import { deliveryTables } from "./initial-schema/delivery-tables.ts";
import { eventTables } from "./initial-schema/event-tables.ts";
import { factTables, factVersions } from "./initial-schema/fact-versions.ts";
import { organisationTables } from "./initial-schema/organisation-tables.ts";
import { postTables } from "./initial-schema/post-tables.ts";

/** In the order of their foreign keys. */
export const initialTables = {
  ...organisationTables,
  ...deliveryTables,
  ...audienceTables,
  ...postTables,
  ...eventTables,
  ...conversationTables,
  ...factTables,
};

export async function up(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  const created = Object.entries(initialTables).flatMap(([name, table]) => table.statements(name, types));
  await statements(db, ...created, ...wordIndex(isPostgres(db)), ...factVersions(isPostgres(db)));
}
