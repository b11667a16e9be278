// Makes everything that a package contains and the repository does not: runs before each `npm pack`.
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { registry } from "../src/cli/registry.ts";
import { bundledPackages } from "./bundled-packages.ts";
import { lastCommit } from "./last-commit.ts";
import { manualPages } from "./manual.ts";
import { createSbom, type Product } from "./sbom.ts";
import { thirdPartyLicenses } from "./third-party-licenses.ts";

await import("./build.ts");

const packages = bundledPackages();
await writeFile("THIRD-PARTY-LICENSES.txt", thirdPartyLicenses(packages));

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Omit<Product, "dependencies" | "day"> & {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const dependencies = Object.keys(manifest.devDependencies);
const sbom = createSbom({ ...manifest, dependencies, day: lastCommit().day }, packages);
await writeFile("sbom.cdx.json", `${JSON.stringify(sbom, null, 2)}\n`);

await rm("man", { recursive: true, force: true });
await mkdir("man");
for (const [name, page] of await manualPages(registry)) await writeFile(join("man", name), page);
