import { DatabaseSync } from "node:sqlite";

/**
 * Opens a temporary database for items that may be too many for memory. SQLite creates its file unreadable to other users, and
 * deletes it at once, so nothing stays behind when the process is killed.
 */
export function openScratch(): DatabaseSync {
  const database = new DatabaseSync("");
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8192");
  // The transaction never ends: nothing is to be kept, and a commit for each row would take most of the time.
  database.exec("begin");
  return database;
}
