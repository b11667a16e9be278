import { cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { openapiDocument } from "../src/http/openapi-document.ts";
import { buildClient } from "./build-client.ts";
import { recordBuild, sourceFingerprint } from "./build-stamp.ts";
import { compileStatements, insertStatements } from "./built-statements.ts";
import { packagesOf } from "./bundled-packages.ts";
import { chunkGroups } from "./chunk-groups.ts";
import { groupImports } from "./group-imports.ts";
import { lastCommit } from "./last-commit.ts";
import { loadOnUse } from "./load-on-use.ts";
import { serverChunks } from "./server-chunks.ts";

// Before the bundle is made: sources that change during the build are not recorded as built.
const source = sourceFingerprint();

/** Dependencies of library features that wcs does not use: subcommands as programs (commander), schemas (conf). */
const needless: Readonly<Record<string, string>> = {
  "node:child_process": "/commander/",
  "ajv/dist/2020.js": "/conf/",
  "ajv-formats": "/conf/",
};
const isNeedless = (id: string, importer = "") => needless[id] !== undefined && importer.includes(needless[id]);
const withoutNeedless: Plugin = {
  name: "without-needless",
  resolveId: (id, importer) => (isNeedless(id, importer) ? "\0nothing" : undefined),
  load: (id) => (id === "\0nothing" ? "export default {}; export const Ajv2020 = undefined;" : undefined),
};
/** Escapes all characters beyond ASCII. V8 would keep a file with any of them in twice the bytes, which takes longer to read. */
const escapeToAscii: Plugin = {
  name: "escape-to-ascii",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== "chunk") continue;
      // String.raw would show the escapes.
      if (/String\.raw`[^`]*[^\0-\x7f]/.test(file.code))
        throw new Error(`${file.fileName} has String.raw beyond ASCII`);
      file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    }
  },
};
/** Makes each file an expression of its function, as bin/bundle.js runs it: joining the texts at each start would copy them. */
const wrapInFunction: Plugin = {
  name: "wrap-in-function",
  generateBundle(_, files) {
    for (const file of Object.values(files))
      if (file.type === "chunk") file.code = `(function(exports,require,module,__filename,__dirname){${file.code}\n})`;
  },
};
/** Makes commander import Node's modules without a copy of all that they export, and look for `...` in ASCII; the needless module is not loaded at all. */
const directDefaults: Plugin = {
  name: "direct-defaults",
  transform: {
    filter: { id: /\/commander\// },
    handler: (code) =>
      code
        .replace(
          /^import (\w+) from '(node:(?!child_process)\w+)';$/gm,
          'const $1 = globalThis.process.getBuiltinModule("$2");',
        )
        // V8 takes 2 % of a small command to look the property up.
        .replace("/\\p{ID_Continue}\\.", "/\\w\\."),
  },
};
const openapiText = await openapiDocument();
/** Inserts openapi.json, so that the server need not make it. */
const insertOpenapi: Plugin = {
  name: "insert-openapi",
  load: {
    filter: { id: /\/src\/http\/openapi-document\.ts$/ },
    handler: () => `export const openapiDocument = async () => ${JSON.stringify(openapiText)};`,
  },
};
const lazyImports = new Map<string, readonly string[]>();
/** Collects which modules each module imports on demand. */
const collectLazyImports: Plugin = {
  name: "collect-lazy-imports",
  generateBundle() {
    for (const id of this.getModuleIds()) lazyImports.set(id, this.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
  },
};

// CommonJS, so that bin/bundle.js can load it with its compiled code.
const bundle = await rolldown({
  input: { main: "src/cli/main.ts" },
  platform: "node",
  external: (id, importer) => (isBuiltin(id) || id === "pg-native") && !isNeedless(id, importer),
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    withoutNeedless,
    directDefaults,
    groupImports,
    insertStatements(await compileStatements()),
    insertOpenapi,
    loadOnUse("kysely"),
    // Takes 20 ms to load, and is only needed for texts beyond `narrow` of text-width.ts.
    loadOnUse("string-width"),
    collectLazyImports,
    escapeToAscii,
    wrapInFunction,
  ],
  transform: { define: { builtFromCommit: JSON.stringify(lastCommit().hash) } },
});
// Builds in a separate folder: a failing build keeps the old one, and several builds may run at the same time.
const aside = `node_modules/.wcs-${process.pid}`;
const { output } = await bundle.write({
  dir: aside,
  format: "cjs",
  // A script of node:vm, as which the files are loaded, has no import().
  dynamicImportInCjs: false,
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  minify: true,
  codeSplitting: { groups: chunkGroups },
});
await bundle.close();
await buildClient(`${aside}/client`);
await cp("src/http/pages/assets", `${aside}/assets`, { recursive: true });
for (const file of ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt"])
  await cp(`node_modules/swagger-ui-dist/${file}`, `${aside}/assets/${file}`);
await cp("node_modules/swagger-ui-dist/LICENSE", `${aside}/assets/swagger-ui.LICENSE.txt`);
await writeFile(`${aside}/bundled-packages.json`, JSON.stringify(packagesOf(output)));
const chunks = output.filter((part) => part.type === "chunk");
await writeFile(`${aside}/server-chunks.json`, JSON.stringify(serverChunks(chunks, lazyImports)));
// An identical build is not replaced, since it may be in use.
if ((await contents(aside)) !== (await contents("dist"))) {
  const old = `${aside}-old`;
  await rename("dist", old).catch(() => {});
  await rename(aside, "dist").catch((error: NodeJS.ErrnoException) => {
    // Another build finished first with the same result.
    if (error.code !== "ENOTEMPTY") throw error;
  });
  await rm(old, { recursive: true, force: true });
}
await rm(aside, { recursive: true, force: true });
recordBuild(source);

/** Returns the names of all files and the contents of those whose names have no content hash. */
async function contents(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const unhashed = names
    .filter((name) => name === "main.cjs" || name === "server-chunks.json" || /^(assets|client)[/\\]/.test(name))
    .sort();
  const texts = await Promise.all(unhashed.map((name) => readFile(join(folder, name), "utf8")));
  return JSON.stringify([names.sort(), texts]);
}
