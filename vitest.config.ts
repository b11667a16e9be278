import { defineConfig } from "vitest/config";

/** Suites that replace modules, which others must not share. */
export const replacing = [
  "test/security/recurrence.test.ts",
  "test/store/migrations.test.ts",
  "test/cli/db.test.ts",
  "test/cli/db-copy.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: ["test/support/build.ts", "test/support/postgres.ts"],
    setupFiles: ["test/support/seed.ts"],
    reporters: ["default", "./test/support/count-reporter.ts"],
    // Suites spend half of their time waiting for databases and programs that they started.
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "shared", include: ["test/**/*.test.ts"], exclude: replacing, isolate: false } },
      { extends: true, test: { name: "alone", include: replacing } },
    ],
    env: { TZ: "UTC" },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
