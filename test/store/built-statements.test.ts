import { spawnSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { type BuiltStatement, prepared, preparedWith } from "../../src/store/prepared.ts";
import { kinds, useDatabase } from "./support.ts";

/** Runs in a process of its own, because it reads the sources with hooks of Node. */
const script = `import { compileStatements } from "./scripts/built-statements.ts";
process.stdout.write(JSON.stringify([...(await compileStatements())]));`;

describe("statements that the build compiles", () => {
  const open = useDatabase("sqlite");

  it("are those of all queries that modules prepare, and fit the schema", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    expect(`${status} ${stderr}`).toBe("0 ");
    const statements = new Map<string, BuiltStatement>(JSON.parse(String(stdout)));
    expect([...statements.keys()]).toContain("src/core/directory/present-users.ts:usersById");
    expect(statements.size).toBeGreaterThan(60);
    const connection = new DatabaseSync(open().target);
    for (const { sql: text, parameters } of statements.values()) {
      const statement = connection.prepare(text);
      expect(statement.sourceSQL.split("?")).toHaveLength(parameters.length + 1);
    }
    connection.close();
  });
});

describe.each(kinds)("a prepared query with a built statement on %s", (kind) => {
  const open = useDatabase(kind);
  const built: BuiltStatement = {
    sql: "select 'built' as text, ? as id, ? as constant",
    parameters: [{ name: "ids", isItem: true }, { constant: 7 }],
    lists: ["ids"],
  };

  it("uses it on SQLite for lists of one item, in and out of transactions", async () => {
    const query = preparedWith(built, (db, _: { ids: number[] }) => db.selectFrom("settings").select("key as text"));
    const expected = kind === "sqlite" ? [{ text: "built", id: 5, constant: 7 }] : [];
    const { database } = open();
    expect(await query(database.reader, { ids: [5] })).toEqual(expected);
    expect(await query(database.reader, { ids: [5, 6] })).toEqual([]);
    await database.write(async (tx) => expect(await query(tx, { ids: [5] })).toEqual(expected));
    expect(await query(database.reader, { ids: [] })).toEqual([]);
  });

  it("is compiled where it has none", async () => {
    const query = prepared((db, p: { id: number }) => db.selectNoFrom(sql<number>`cast(${p.id} as int)`.as("id")));
    expect(await query(open().database.reader, { id: 5 })).toEqual([{ id: 5 }]);
  });
});
