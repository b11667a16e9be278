import type { Plugin } from "rolldown";
import { operationGroups } from "../src/contract/operation-groups.ts";

const groupImport = /import\(`([^`]*\$\{group\}[^`]*)`\)/g;

/** Replaces each import of a path with `${group}` by one import per group, so that each becomes a chunk. */
export const groupImports: Plugin = {
  name: "group-imports",
  transform: {
    filter: { code: groupImport },
    handler: (code) =>
      code.replace(groupImport, (_, path: string) => {
        const imports = Object.keys(operationGroups).map(
          (group) => `${group}: () => import("${path.replace(/\$\{group\}/g, group)}")`,
        );
        return `({ ${imports.join(", ")} })[group]()`;
      }),
  },
};
