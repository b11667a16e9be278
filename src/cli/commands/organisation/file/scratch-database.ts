import { DatabaseSync } from "node:sqlite";

/**
 * Opens a temporary database for items that may be too many for memory. SQLite creates its file unreadable to other users, and
 * deletes it at once, so nothing stays behind when the process is killed.
 */
export function openScratch(): DatabaseSync {
  const database = new DatabaseSync("");
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8192");
  return database;
}
