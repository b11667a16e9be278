import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts", "test/support/postgres.ts"],
    reporters: ["default", "./test/support/count-reporter.ts"],
    // Half of the time a suite waits, for a database or a program that it started.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
