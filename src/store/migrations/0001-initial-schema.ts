import type { Kysely } from "kysely";
import { columnTypes, isPostgres, statements } from "../dialect.ts";
import { audienceTables } from "./initial-schema/audience-tables.ts";
import { conversationTables, wordIndex } from "./initial-schema/conversation-tables.ts";
import { deliveryTables } from "./initial-schema/delivery-tables.ts";
import { eventTables } from "./initial-schema/event-tables.ts";
import { factVersions } from "./initial-schema/fact-versions.ts";
import { organisationTables } from "./initial-schema/organisation-tables.ts";
import { postTables } from "./initial-schema/post-tables.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  // In the order of their foreign keys.
  const tables = [organisationTables, deliveryTables, audienceTables, postTables, eventTables, conversationTables];
  await statements(db, ...tables.flatMap((tablesOf) => tablesOf(types)), ...wordIndex(isPostgres(db)));
  await statements(db, ...factVersions(types, isPostgres(db)));
}
