import { defineConfig } from "vitest/config";
import shared from "./vitest.config.ts";

/** Tests of what is installed elsewhere, packages and executables: `npm run test:package`. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/build.ts"],
    reporters: shared.test?.reporters,
    include: ["test/package/**/*.package.ts"],
    env: { TZ: "UTC" },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    passWithNoTests: true,
  },
});
