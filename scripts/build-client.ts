import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { operationRows } from "../src/http/fetch-client/operation-rows.ts";
import { clientDeclarations } from "./client-declarations.ts";

/**
 * Writes the client package to a folder: `client.js`, an ES module without dependencies for Node and browsers, and its types.
 * The operations become plain data, so that it has neither the contract nor zod.
 */
export async function buildClient(folder: string): Promise<void> {
  const source = (path: string) => JSON.stringify(resolve("src", path));
  const entry = `
    import { connectClient } from ${source("http/fetch-client/connect-client.ts")};
    export { ServiceError } from ${source("contract/errors.ts")};
    const rows = ${JSON.stringify(await operationRows())};
    export const connect = (options) => connectClient(rows, options);`;
  const bundle = await rolldown({
    input: "client",
    platform: "neutral",
    treeshake: { moduleSideEffects: false },
    plugins: [
      {
        name: "client-entry",
        resolveId: (id) => (id === "client" ? "\0client" : undefined),
        load: (id) => (id === "\0client" ? { code: entry, moduleSideEffects: true } : undefined),
      },
    ],
  });
  await bundle.write({ file: join(folder, "client.js"), format: "esm", minify: true });
  await bundle.close();
  await writeFile(join(folder, "client.d.ts"), await clientDeclarations());
}
