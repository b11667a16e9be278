import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexedWords } from "../../src/core/conversations/query-words.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { copyInstance } from "../../src/store/move/copy-instance.ts";
import { startPostgres } from "../support/postgres.ts";
import type { Figure } from "./figure.ts";
import { fillMessages } from "./many-messages.ts";

const messages = 400_000;
const entries = 600_000;
const portion = 20_000;
/** Rows per second that a move must reach at least; stands in the place of the floor. */
const wanted = 20_000;

/** A copy of about a million rows, four in ten of them messages with their words, to each database. */
export async function* moving(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-move-"));
  // Writes to the disk, as a server in use does.
  const server = await startPostgres({ durable: true });
  try {
    const places = [join(folder, "source.db"), `${server.url}/postgres`, join(folder, "back.db")];
    const { database } = await fillMessages(places[0]!, messages);
    for (let at = 0; at < entries; at += portion) {
      const rows = Array.from({ length: portion }, (_, n) => entry(at + n));
      await database.write((tx) => insertRows(tx, "audit_entries", rows));
    }
    await database.close();
    for (const [at, what] of ["SQLite to PostgreSQL", "PostgreSQL to SQLite"].entries()) {
      let peak = 0;
      const look = () => {
        peak = Math.max(peak, process.memoryUsage.rss());
      };
      const watch = { signal: new AbortController().signal, progress: look };
      const since = performance.now();
      // Each copy goes on from the one before.
      const { rows } = await copyInstance({ from: places[at]!, to: places[at + 1]!, wordsOf: indexedWords, watch });
      const measured = rows / ((performance.now() - since) / 1000);
      const note = `${rows} rows, ${Math.round(peak / 2 ** 20)} MiB`;
      yield { id: "MV", what: `copy, ${what}`, measured, floor: wanted, unit: "rows/s", target: ">= 1 x", note };
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const entry = (n: number) => ({
  created_at: 1_700_000_000 + n,
  actor_id: (n % 1000) + 1,
  operation: "users.update",
  path: `/users/${n}`,
  fields: '["first_name","title"]',
  address: "192.0.2.1",
});
