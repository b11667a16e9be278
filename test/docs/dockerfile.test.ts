import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const path = "packaging/docker/Dockerfile";
const text = readFileSync(join(root, path), "utf8");

it("the Dockerfile passes a linter", () => {
  const linter = "node_modules/dockerfile-utils/bin/dockerfile-utils";
  const { stdout, stderr, status } = spawnSync(process.execPath, [linter, "lint", path], {
    cwd: root,
    encoding: "utf8",
  });
  expect({ stdout, stderr, status }).toEqual({ stdout: "", stderr: "", status: 0 });
});

it("the Dockerfile uses the Node version of the project, and runs as a user without rights", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(images)).toEqual(new Set([`node:${devDependencies.node}-bookworm-slim`]));
  expect(text.lastIndexOf("\nUSER wcs\n")).toBeGreaterThan(text.lastIndexOf("\nFROM "));
});
