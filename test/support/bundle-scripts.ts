import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { fingerprint } from "../../scripts/build-stamp.ts";
import { groupImports } from "../../scripts/group-imports.ts";
import { bundles } from "./child.ts";

const root = join(import.meta.dirname, "../..");
const stamp = join(bundles, "fingerprint");

/** Scripts that tests start as processes of their own. */
const scripts = [
  "test/faults/counting-writer.ts",
  "test/faults/webhooks-worker.ts",
  "test/faults/webhooks-writer.ts",
  "test/security/lock-user.ts",
  "test/store/lock-holder.ts",
  "test/store/print-synchronous.ts",
  "test/support/second-service.ts",
];

/** Bundles the scripts, because as a few files they start in less than half the time. Does nothing when that was done before. */
export default async function setup(): Promise<void> {
  const wanted = fingerprint(root, [...scripts, "src/**", "test/support/*.ts", "package-lock.json"]);
  if (wanted === lastFingerprint()) return;
  const bundle = await rolldown({
    cwd: root,
    input: scripts,
    platform: "node",
    external: ["pg-native"],
    checks: { ineffectiveDynamicImport: false },
    plugins: [groupImports],
  });
  // Bundles in a separate folder: several runs may do so at the same time.
  const aside = mkdtempSync(`${bundles}-`);
  await bundle.write({ dir: aside, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
  writeFileSync(join(aside, "package.json"), '{ "type": "module" }');
  writeFileSync(join(aside, "fingerprint"), wanted);
  rmSync(bundles, { recursive: true, force: true });
  renameSync(aside, bundles);
}

function lastFingerprint(): string | undefined {
  try {
    return readFileSync(stamp, "utf8");
  } catch {
    return undefined;
  }
}
