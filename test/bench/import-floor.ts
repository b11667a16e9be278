/**
 * Loads the rows of the tables named in the arguments into a new database, in one transaction and with the same indexes.
 * Arguments: the database to read, the one to create, the tables.
 */
import { DatabaseSync } from "node:sqlite";

const [source = "", target = "", ...tables] = process.argv.slice(2);
const from = new DatabaseSync(source, { readOnly: true, returnArrays: true });
const to = new DatabaseSync(target, { enableForeignKeyConstraints: false });
to.exec("pragma journal_mode = wal; pragma synchronous = full; begin");
const isWanted = `tbl_name in (${tables.map((name) => `'${name}'`).join(", ")}) and sql is not null`;
const schema = from.prepare(
  `select sql from sqlite_schema where type in ('table', 'index') and ${isWanted} order by type desc`,
);
for (const row of schema.iterate()) to.exec(Object.values(row).join());
for (const table of tables) {
  const rows = from.prepare(`select * from ${table}`);
  const places = rows
    .columns()
    .map(() => "?")
    .join(", ");
  const insert = to.prepare(`insert into ${table} values (${places})`);
  for (const row of rows.iterate()) insert.run(...Object.values(row));
}
to.exec("commit");
to.close();
