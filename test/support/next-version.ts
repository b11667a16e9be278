import type { Migration } from "kysely/migration";
import { migrations } from "../../src/store/migrations/migration-list.ts";

const present = Object.keys(migrations).at(-1)!;

/**
 * The last migration that the program knows. Replaces that of `latest-migration.ts` in tests that turn the program into its
 * next version: `vi.mock("../../src/store/latest-migration.ts", () => import("../support/next-version.ts"))`.
 */
export let latestMigration = present;

/** The migration of the next version, which runs after all others. */
export const madeUp = "9999-made-up";

export function useNextVersion(up: Migration["up"]): void {
  migrations[madeUp] = { up };
  latestMigration = madeUp;
}

export function usePresentVersion(): void {
  delete migrations[madeUp];
  latestMigration = present;
}
