import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { mask } from "../../scripts/reference/mask-output.ts";

const root = join(import.meta.dirname, "../..");

it("docs/reference has the pages that npm run docs generates", async () => {
  // A process of its own, because the session sets the clock of the process.
  const args = ["--import", "./test/support/quick-commits.ts", "scripts/reference.ts", "--check"];
  const run = promisify(execFile)(process.execPath, args, { cwd: root });
  await expect(run).resolves.toEqual({ stdout: "", stderr: "" });
});

it("secrets and random IDs are masked in the outputs of the reference", () => {
  const id = "8a62e120-7972-4da2-9750-9190c28189c3";
  expect(mask(`whsec_AbC+/9= eyJhbGci.eyJpZCI6MX0.sig-_1 ${id} msg_pBfB-kRUXcWAt1GYzq3VJqRY`)).toBe(
    "whsec_… eyJ… … msg_…",
  );
});
