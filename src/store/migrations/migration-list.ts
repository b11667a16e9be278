import type { Migration } from "kysely/migration";
import * as initialSchema from "./0001-initial-schema.ts";

/** Every migration by name, oldest first. Names sort in the order in which they run. */
export const migrations: Record<string, Migration> = { "0001-initial-schema": initialSchema };
