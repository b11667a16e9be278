import { DatabaseSync } from "node:sqlite";

/** Opens a temporary database for data that may not fit into memory. SQLite deletes its file immediately, so none is left behind. */
export function openScratch(): DatabaseSync {
  const database = new DatabaseSync("");
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8192");
  // The transaction never ends: nothing is kept, and a commit for each row would take most of the time.
  database.exec("begin");
  return database;
}

/** Creates an empty list on disk, whose items come in the order of their places. */
export function createDiskList<T>(scratch: DatabaseSync, table: string) {
  scratch.exec(`drop table if exists ${table}; create table ${table} (place integer primary key, item text not null)`);
  const insert = scratch.prepare(`insert into ${table} values (?, ?)`);
  let size = 0;
  return {
    get size(): number {
      return size;
    },
    add(place: number, item: T): void {
      size += 1;
      insert.run(place, JSON.stringify(item));
    },
    *[Symbol.iterator](): Generator<T> {
      const rows = scratch.prepare(`select item from ${table} order by place`).iterate();
      for (const { item } of rows) yield JSON.parse(String(item));
    },
  };
}
