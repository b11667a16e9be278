import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BundledPackage } from "./bundled-packages.ts";

/** Returns the licence texts of packages as one document. Throws when a package has none. */
export function thirdPartyLicenses(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ folder, name, version, license }) => {
    const source = `https://www.npmjs.com/package/${name}/v/${version}`;
    return `${"=".repeat(80)}\n${name} ${version} (${license})\nSource: ${source}\n\n${licenseTextOf(folder)}\n`;
  });
  return `wcs contains code of the following packages.\n\n${parts.join("\n")}`;
}

/** Returns the licence texts and notices in a package's folder; without such files, the licence in its README. */
export function licenseTextOf(folder: string): string {
  const names = readdirSync(folder).sort();
  const read = (name: string) => readFileSync(join(folder, name), "utf8").trim();
  const texts = names.filter((name) => /^(licen[cs]e|copying|notice)|\.licen[cs]e\.txt$/i.test(name)).map(read);
  if (texts.length > 0) return texts.join("\n\n");
  for (const readme of names.filter((name) => /^readme/i.test(name))) {
    const [, text] = /^#+ *licen[cs]e *\n([\s\S]*)/im.exec(read(readme)) ?? [];
    if (text !== undefined && /Permission is hereby granted/.test(text)) return text.trim();
  }
  throw new Error(`No licence text was found in ${folder}. Bundled code needs one.`);
}
