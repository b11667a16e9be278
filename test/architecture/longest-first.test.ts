import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { replacing } from "../../vitest.config.ts";
import { longFiles } from "../support/longest-first.ts";

it("each file that a test run starts first exists, and shares modules with others", () => {
  expect(longFiles.filter((file) => !existsSync(file) || replacing.includes(file))).toEqual([]);
});
