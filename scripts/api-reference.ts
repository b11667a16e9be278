import { allOperations } from "../src/contract/all-operations.ts";
import { replaceSection } from "./generated-sections.ts";
import { operationsTable } from "./operations-table.ts";
import { settingsTable } from "./settings-table.ts";

/** Returns `docs/api.md` with its generated tables brought up to date. */
export async function generateApiReference(text: string): Promise<string> {
  const withOperations = replaceSection(text, "operations", operationsTable(await allOperations()));
  return replaceSection(withOperations, "settings", settingsTable());
}
