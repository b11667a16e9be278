import { defineConfig } from "vitest/config";
export default defineConfig({ test: { include: ["test/**/*.test.ts"], globalSetup: ["test/support/postgres.ts"], reporters: ["default", "./test/support/count-reporter.ts"], testTimeout: 30000, hookTimeout: 60000 } });
