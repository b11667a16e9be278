import { readFileSync } from "node:fs";
import type { RolldownOutput } from "rolldown";

/** Packages whose code gets into the bundle in other ways: as files for the browser, and as the loader of the chunks. */
const addedByBuild = ["node_modules/rolldown", "node_modules/swagger-ui-dist"];

/** Returns the folders of the packages with code in the bundle, as package-lock.json names them. */
export function packagesOf(output: RolldownOutput["output"]): string[] {
  const modules = output.flatMap((part) => (part.type === "chunk" ? Object.entries(part.modules) : []));
  const folders = modules
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .flatMap(
      ([id]) =>
        /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1] ?? [],
    );
  return [...new Set([...folders, ...addedByBuild])].sort();
}

/** A package with code in the bundle, as its package.json and package-lock.json describe it. */
export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: readonly string[];
  readonly integrity: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, "utf8")) as T;

/** Returns the packages that the last build bundled, by name. */
export function bundledPackages(): BundledPackage[] {
  const { packages } = readJson<LockFile>("package-lock.json");
  return readJson<string[]>("dist/bundled-packages.json")
    .map((folder) => {
      const { name, version, license = "", ...manifest } = readJson<Manifest>(`${folder}/package.json`);
      const { dependencies, optionalDependencies, peerDependencies } = manifest;
      return {
        folder,
        name,
        version,
        license,
        dependencies: Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies }),
        integrity: packages[folder]?.integrity ?? "",
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
