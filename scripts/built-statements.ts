import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { DummyDriver } from "kysely";
import type { Plugin } from "rolldown";
import { type Build, type BuiltStatement, compileStatement } from "../src/store/prepared.ts";
import { createKysely } from "../src/store/sqlite/kysely-on-sqlite.ts";

/** A query that a module prepares when it is loaded. Others, in functions and classes, are compiled at run time. */
const preparedQuery = /^((?:export )?const (\w+) = )prepared\(/gm;
const root = join(import.meta.dirname, "..");
const keyOf = (file: string, name: string) => `${relative(root, file).replaceAll("\\", "/")}:${name}`;

type Collect = (name: string, build: Build<object, unknown>) => void;
declare global {
  var collectStatement: Collect | undefined;
}

/** Compiles the prepared queries of the sources for SQLite. The keys of the result are their files and names. */
export async function compileStatements(): Promise<Map<string, BuiltStatement>> {
  const files = globSync("src/**/*.ts", { cwd: root })
    .map((file) => join(root, file))
    .filter((file) => readFileSync(file, "utf8").search(preparedQuery) >= 0);
  const builds = new Map<string, Build<object, unknown>>();
  globalThis.collectStatement = (name, build) => void builds.set(name, build);
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const file = url.startsWith("file:") ? fileURLToPath(url) : "";
      if (!files.includes(file)) return loaded;
      const collecting = (_: string, start: string, name: string) =>
        `${start}globalThis.collectStatement(${JSON.stringify(keyOf(file, name))}, `;
      return { ...loaded, source: String(loaded.source).replace(preparedQuery, collecting) };
    },
  });
  for (const file of files) await import(pathToFileURL(file).href);
  hooks.deregister();
  return new Map([...builds].map(([name, build]) => [name, compileBuilt(build)]));
}

/** Compiles a query as it is for lists of one item. */
function compileBuilt(build: Build<object, unknown>): BuiltStatement {
  const lists = new Set<string>();
  const db = createKysely(new DummyDriver());
  const statement = compileStatement(build, db, (list) => {
    lists.add(list);
    return true;
  });
  const constants = statement.parameters.flatMap((slot) => ("constant" in slot ? [slot.constant] : []));
  if (!constants.every((each) => each === null || ["string", "number"].includes(typeof each)))
    throw new Error(`JSON cannot hold a constant of this statement: ${statement.sql}`);
  return { lists: [...lists], ...statement };
}

/** Inserts the compiled statements, so that Kysely need not be loaded for them. */
export function insertStatements(statements: ReadonlyMap<string, BuiltStatement>): Plugin {
  return {
    name: "insert-statements",
    transform: {
      filter: { code: preparedQuery },
      handler: (code, file) =>
        code
          .replace(preparedQuery, (_, start: string, name: string) => {
            const statement = statements.get(keyOf(file, name));
            return `${start}preparedWith(${JSON.stringify(statement)}, `;
          })
          .replace(/import \{(.*?)\bprepared\b(.*?)\} from/, "import {$1prepared, preparedWith$2} from"),
    },
  };
}
