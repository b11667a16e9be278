import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { isFull } from "./test/support/effort.ts";
import { filesLeftToFullForm, filesOfFullForm } from "./test/support/full-form.ts";
import { LongestFirst } from "./test/support/longest-first.ts";

/** Suites that replace modules, which others must not share. */
export const replacing = [
  "test/security/recurrence.test.ts",
  "test/store/migrations.test.ts",
  "test/cli/db.test.ts",
  "test/cli/db-copy.test.ts",
];

/** Suites that measure their own process, in which V8 must not have learnt from others where objects go. */
const measuring = ["test/http/garbage-collection.test.ts"];
const apart = [...replacing, ...measuring];

const files = isFull ? filesOfFullForm() : ["test/**/*.test.ts"];
const left = isFull ? [] : filesLeftToFullForm();
const alone = isFull ? apart.filter((file) => files.includes(file)) : apart;

export default defineConfig({
  test: {
    globalSetup: ["temporary-folder", "build", "bundle-scripts", "postgres"].map((name) => `test/support/${name}.ts`),
    setupFiles: ["test/support/seed.ts", "test/support/quick-commits.ts"],
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/support/count-reporter.ts"],
    // Suites spend half of their time waiting for databases and programs that they started.
    maxWorkers: availableParallelism() * 2,
    projects: [
      {
        extends: true,
        test: { name: "shared", include: files, exclude: ["**/node_modules/**", ...apart, ...left], isolate: false },
      },
      { extends: true, test: { name: "alone", include: alone } },
    ],
    env: { TZ: "UTC" },
    // Tests wait for conditions. On a busy machine one that holds in a second may take many.
    expect: { poll: { timeout: 120_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
