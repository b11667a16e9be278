import { rename, rm } from "node:fs/promises";
import { builtinModules } from "node:module";
import { basename } from "node:path";
import { type Plugin, rolldown } from "rolldown";

/** Each file of a bundle costs some 0.2 ms to load: what is needed together stands together. */
const together = [
  {
    name: "start",
    test: /src\/(contract\/errors|cli\/(failure|terminal|stdout|plain|version|program|root|globals|nearest|tree|help|help-format))\.ts$/,
  },
  {
    name: "command",
    test: /node_modules\/commander\/|src\/cli\/(commander|command|operate|intake|input|options|output|paging|cells|fields|connect|connection|scalars|target|config|login|token|sources|confirm|asking|output\/(json|writer))\.ts$/,
  },
  { name: "contract", test: /node_modules\/zod\/|src\/contract\/(fields|operation|input|shape)\.ts$/ },
  { debugName: "room", name: (id: string) => `room-${basename(id, ".ts")}`, test: /src\/contract\/(?!errors)\w+\.ts$/ },
  {
    name: "service",
    test: /node_modules\/kysely\/(?!.*migrat)|src\/(store\/(?!migrat|postgres)|core\/(?!auth|tokens|bootstrap|webhooks))/,
  },
];

/** commander can run programs as its subcommands. We do not, and what that takes is slow to load. */
const isNeedless = (id: string, importer = "") => id === "node:child_process" && importer.includes("/commander/");
const withoutNeedless: Plugin = {
  name: "without-needless",
  resolveId: (id, importer) => (isNeedless(id, importer) ? "\0nothing" : undefined),
  load: (id) => (id === "\0nothing" ? "export default {};" : undefined),
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
// Built beside the old one: a build that fails leaves that as it is.
await rm("dist.new", { recursive: true, force: true });
await bundle.write({
  dir: "dist.new",
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  minify: true,
  codeSplitting: { groups: together },
});
await bundle.close();
await rm("dist", { recursive: true, force: true });
await rename("dist.new", "dist");
