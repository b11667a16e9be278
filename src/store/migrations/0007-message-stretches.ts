import type { Kysely } from "kysely";
import { isPostgres, statements } from "../dialect.ts";

/** Indexes the words of messages by stretches of 4,096 positions where the index is not ordered; see `message-words.ts`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await statements(
    db,
    `update message_words set words = array_to_tsvector(array(
      select regexp_replace(lexeme, '^([0-9]+)_', '\\1.' || position / 4096 || '_') from unnest(words)))`,
  );
}
