import { readdir, readFile, rename, rm } from "node:fs/promises";
import { builtinModules } from "node:module";
import { basename } from "node:path";
import { type Plugin, rolldown } from "rolldown";

/** Each file of a bundle costs some 0.2 ms to load: what is needed together stands together. */
const together = [
  {
    name: "start",
    test: /src\/(contract\/errors|cli\/(failure|disk-failure|terminal|stdout|plain|version|program|root|globals|nearest|tree|help|help-format))\.ts$/,
  },
  {
    name: "command",
    test: /node_modules\/commander\/|src\/cli\/(commander|command|operate|intake|input|options|output|paging|cells|fields|connect|connection|scalars|target|database-url|config|login|token|sources|confirm|asking|naming|field-names|output\/(json|writer))\.ts$/,
  },
  { name: "contract", test: /node_modules\/zod\/|src\/contract\/(fields|operation|input|shape)\.ts$/ },
  // Several rooms share them: none of these is to bring another one along.
  { debugName: "forms", name: (id: string) => basename(id, ".ts"), test: /src\/contract\/\w+-forms\.ts$/ },
  { debugName: "room", name: (id: string) => `room-${basename(id, ".ts")}`, test: /src\/contract\/(?!errors)\w+\.ts$/ },
  {
    name: "service",
    test: /node_modules\/kysely\/(?!.*migrat)|src\/(store\/(?!migrat|postgres|backups|upkeep)|core\/(service|context|idempotency|instance|memory|outbox|permissions|membership|group-membership|unit-|user-|text-keys|cursor|pages|differing|answers|mails|passwords|sign-in-failures|import|users\/))/,
  },
];

/** What libraries load for features that we do not use: programs as subcommands (commander), schemas (conf). */
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
const external = new Set([
  ...builtinModules,
  ...builtinModules.map((name) => `node:${name}`),
  "node:sqlite",
  "pg-native",
]);

// CommonJS: with the compile cache it starts some 10 ms faster than the same as ES modules.
const bundle = await rolldown({
  input: { main: "src/cli/main.ts" },
  platform: "node",
  external: (id, importer) => external.has(id) && !isNeedless(id, importer),
  checks: { ineffectiveDynamicImport: false },
  plugins: [withoutNeedless],
});
// Built aside: a build that fails leaves the old one as it is, and others may build at the same time.
const aside = `node_modules/.wcs-${process.pid}`;
await bundle.write({
  dir: aside,
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  minify: true,
  codeSplitting: { groups: together },
});
await bundle.close();
// Names hold hashes of contents. What did not change stays, for those who run it at this moment.
const namesIn = async (folder: string) => (await readdir(folder).catch(() => [])).sort().join();
if ((await namesIn(aside)) !== (await namesIn("dist")) || (await text(aside)) !== (await text("dist"))) {
  const old = `${aside}-old`;
  await rename("dist", old).catch(() => {});
  await rename(aside, "dist").catch((error: NodeJS.ErrnoException) => {
    // Another build was faster, and made the same.
    if (error.code !== "ENOTEMPTY") throw error;
  });
  await rm(old, { recursive: true, force: true });
}
await rm(aside, { recursive: true, force: true });

function text(folder: string): Promise<string> {
  return readFile(`${folder}/main.cjs`, "utf8");
}
