import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { fileNames } from "../src/cli/completion/completion-script.ts";
import { registry } from "../src/cli/registry.ts";
import { version as ownVersion } from "../src/cli/session/version.ts";
import { bundledPackages } from "./bundled-packages.ts";
import { lastCommit } from "./last-commit.ts";
import { manualPages } from "./manual.ts";
import { thirdPartyLicenses } from "./third-party-licenses.ts";

/** Makes a Debian package of the executable: `npm run build:deb`. docs/install.md describes it. */
const { values } = parseArgs({
  options: {
    executable: { type: "string", default: "release/wcs-linux-x64" },
    version: { type: "string", default: ownVersion },
    out: { type: "string", default: "release" },
  },
});
const { executable, out } = values;
// In a Debian version, a tilde sorts before a release, as a hyphen does in SemVer.
const version = values.version.replace("-", "~");
const day = new Date(lastCommit().day);
using folder = mkdtempDisposableSync(join(tmpdir(), "wcs-deb-"));
const root = folder.path;
// The archive would make the root folder of the machine private, too.
await chmod(root, 0o755);
await addProgram();
await addDocuments();
await addControlFiles();
await mkdir(out, { recursive: true });
const archive = join(out, `wcs_${version}_amd64.deb`);
// Makes the archive the same each time.
const env = { ...process.env, SOURCE_DATE_EPOCH: String(day.getTime() / 1000) };
execFileSync("dpkg-deb", ["--build", "--root-owner-group", root, archive], {
  env,
  stdio: ["ignore", "ignore", "inherit"],
});
process.stdout.write(`${archive}\n`);

async function addProgram(): Promise<void> {
  await add("usr/bin/wcs", await readFile(executable), 0o755);
  await add("usr/lib/systemd/system/wcs.service", await readFile("packaging/systemd/wcs.service"));
  await add("etc/wcs/wcs.yaml", await readFile("packaging/debian/wcs.yaml"));
  const places = {
    bash: "usr/share/bash-completion/completions/wcs",
    zsh: "usr/share/zsh/vendor-completions/_wcs",
    fish: "usr/share/fish/vendor_completions.d/wcs.fish",
  } as const;
  for (const [shell, place] of Object.entries(places))
    await add(place, await readFile(join("completions", fileNames[shell as keyof typeof places])));
}

async function addDocuments(): Promise<void> {
  for (const [name, page] of await manualPages(registry)) await addCompressed(`usr/share/man/man1/${name}`, page);
  const licences = [
    `wcs\n\n${await readFile("LICENSE", "utf8")}`,
    `The executable contains Node.js.\n\n${await readFile("packaging/node-license.txt", "utf8")}`,
    thirdPartyLicenses(bundledPackages()),
  ];
  await add("usr/share/doc/wcs/copyright", licences.join(`\n${"=".repeat(80)}\n`));
  const date = day.toUTCString().replace(/GMT$/, "+0000");
  const entry = `wcs (${version}) stable; urgency=medium\n\n  * CHANGELOG.md.gz says what is new.\n\n -- ${await maintainer()}  ${date}\n`;
  await addCompressed("usr/share/doc/wcs/changelog", entry);
  await addCompressed("usr/share/doc/wcs/CHANGELOG.md", await readFile("CHANGELOG.md", "utf8"));
  await add("usr/share/lintian/overrides/wcs", await readFile("packaging/debian/lintian-overrides"));
}

async function addControlFiles(): Promise<void> {
  const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  const sums = contents.map((bytes, at) => [hash("md5", bytes), paths[at]?.slice(root.length + 1)]);
  const kilobytes = Math.ceil(contents.reduce((sum, { length }) => sum + length, 0) / 1024);
  const control = (await readFile("packaging/debian/control", "utf8"))
    .replace("VERSION", version)
    .replace("SIZE", String(kilobytes));
  await add("DEBIAN/control", control);
  await add(
    "DEBIAN/md5sums",
    sums
      .filter(([, path]) => !path?.startsWith("etc/"))
      .map((sum) => `${sum.join("  ")}\n`)
      .join(""),
  );
  await add("DEBIAN/conffiles", await readFile("packaging/debian/conffiles"));
  for (const script of ["postinst", "prerm", "postrm"])
    await add(`DEBIAN/${script}`, await readFile(join("packaging/debian", script)), 0o755);
}

async function maintainer(): Promise<string> {
  return /^Maintainer: (.*)$/m.exec(await readFile("packaging/debian/control", "utf8"))?.[1] ?? "";
}

/** Adds a file, whose rights do not depend on the mask of this process. */
async function add(path: string, content: string | Buffer, mode = 0o644): Promise<void> {
  const target = join(root, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  await chmod(target, mode);
}

/** Adds a compressed file without a time in it. */
async function addCompressed(path: string, text: string): Promise<void> {
  await add(`${path}.gz`, gzipSync(text, { level: 9 }));
}
