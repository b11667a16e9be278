import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts", "test/support/postgres.ts"],
    reporters: ["default", "./test/support/count-reporter.ts"],
    // Suites spend half of their time waiting for databases and programs that they started.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
