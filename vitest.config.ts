import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { isFull } from "./test/support/effort.ts";
import { filesOfFullForm } from "./test/support/full-form.ts";

/** Suites that replace modules, which others must not share. */
export const replacing = [
  "test/security/recurrence.test.ts",
  "test/store/migrations.test.ts",
  "test/cli/db.test.ts",
  "test/cli/db-copy.test.ts",
];

const files = isFull ? filesOfFullForm() : ["test/**/*.test.ts"];
const alone = isFull ? replacing.filter((file) => files.includes(file)) : replacing;

export default defineConfig({
  test: {
    globalSetup: ["test/support/build.ts", "test/support/postgres.ts"],
    setupFiles: ["test/support/seed.ts"],
    reporters: ["default", "./test/support/count-reporter.ts"],
    // Suites spend a third of their time waiting for databases and programs that they started.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      { extends: true, test: { name: "shared", include: files, exclude: replacing, isolate: false } },
      { extends: true, test: { name: "alone", include: alone } },
    ],
    env: { TZ: "UTC" },
    // Tests wait for conditions. On a busy machine one that holds in a second may take many.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
