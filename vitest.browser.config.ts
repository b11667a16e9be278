import { defineConfig } from "vitest/config";
import shared from "./vitest.config.ts";

/** Tests of the pages in a browser: `npm run test:browser`. */
export default defineConfig({
  test: {
    globalSetup: [
      ...["test/support/temporary-folder.ts", "test/support/build.ts", "test/support/postgres.ts"],
      "test/browser/find-chromium.ts",
    ],
    reporters: shared.test?.reporters,
    include: ["test/browser/**/*.browser.ts"],
    env: { TZ: "UTC" },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
