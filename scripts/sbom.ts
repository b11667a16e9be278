import type { BundledPackage } from "./bundled-packages.ts";

/** The package that contains the bundle. */
export interface Product {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description: string;
  /** The names of the packages that it depends on. */
  readonly dependencies: readonly string[];
  /** The day of its last change. */
  readonly day: string;
}

/** Returns the software bill of materials of the bundle as CycloneDX 1.6. */
export function createSbom(product: Product, packages: readonly BundledPackage[]): object {
  const byFolder = new Map(packages.map((bundled) => [bundled.folder, bundled]));
  const dependenciesOf = (folder: string, names: readonly string[]) =>
    names.flatMap((name) => {
      const found = foldersAbove(folder).map((parent) => byFolder.get(`${parent}node_modules/${name}`));
      return found.find((bundled) => bundled !== undefined) ?? [];
    });
  const { dependencies, license, description, day } = product;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: `${day}T00:00:00Z`,
      component: { type: "application", ...identityOf(product), description, licenses: licensesOf(license) },
    },
    components: packages.map((bundled) => ({
      type: "library",
      ...identityOf(bundled),
      licenses: licensesOf(bundled.license),
      hashes: [{ alg: "SHA-512", content: digestOf(bundled.integrity) }],
    })),
    dependencies: [
      { ref: urlOf(product), dependsOn: dependenciesOf("", dependencies).map(urlOf) },
      ...packages.map((bundled) => ({
        ref: urlOf(bundled),
        dependsOn: dependenciesOf(bundled.folder, bundled.dependencies).map(urlOf),
      })),
    ],
  };
}

interface Versioned {
  readonly name: string;
  readonly version: string;
}

function identityOf(versioned: Versioned) {
  const { name, version } = versioned;
  const [, group, own = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const url = urlOf(versioned);
  return { "bom-ref": url, ...(group !== undefined && { group }), name: own, version, purl: url };
}

const urlOf = ({ name, version }: Versioned) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

const licensesOf = (license: string) =>
  license.includes(" ") ? [{ expression: license }] : [{ license: { id: license } }];

/** Returns the SHA-512 of an integrity value of npm in hexadecimal. */
const digestOf = (integrity: string) =>
  Buffer.from(/sha512-(\S+)/.exec(integrity)?.[1] ?? "", "base64").toString("hex");

/** Returns the folders in which Node looks for a dependency, the nearest first. */
function foldersAbove(folder: string): string[] {
  const parts = folder === "" ? [] : folder.split("/node_modules/");
  return [...parts.keys().map((at) => `${parts.slice(0, parts.length - at).join("/node_modules/")}/`), ""];
}
