import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const guide = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
const hasJq = spawnSync("jq", ["--version"]).error === undefined;

it.skipIf(!hasJq)("the command of the guide finds warnings in a journal with other lines (needs jq)", () => {
  const filter = /^journalctl -u wcs .* \| (jq .*)$/m.exec(guide)?.[1] ?? "";
  const warning = JSON.stringify({ level: 40, msg: "a warning" });
  const lines = ["Started wcs.service.", "http://127.0.0.1:8420", JSON.stringify({ level: 30 }), warning];
  const { stdout, stderr } = spawnSync("sh", ["-c", filter], { input: `${lines.join("\n")}\n`, encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: `${warning}\n`, stderr: "" });
});
