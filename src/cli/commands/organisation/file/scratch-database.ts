import { DatabaseSync } from "node:sqlite";

/** Opens a temporary database for what may be too much for memory. SQLite deletes its private file at once, so nothing stays behind. */
export function openScratch(): DatabaseSync {
  const database = new DatabaseSync("");
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8192");
  // The transaction never ends: nothing is to be kept, and a commit for each row would take most of the time.
  database.exec("begin");
  return database;
}
