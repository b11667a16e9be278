import pg from "pg";
import { listeners } from "./changes.ts";

const channel = "wcs_changes";
const firstPause = 500;
const longestPause = 10_000;

/**
 * LISTEN and NOTIFY as a wake-up only: an engine without them, or a connection that broke, costs time and nothing else, since
 * whoever listens also looks by itself now and then. The listening connection is one beside the pool.
 */
export function postgresChanges(pool: pg.Pool, url: string) {
  let listening: Listening | undefined;
  const onChange = listeners((wakeAll) => {
    listening = new Listening(url, wakeAll);
    void listening.connect();
    return () => void listening?.close();
  });
  return { onChange, announce: announcer(pool), close: () => listening?.close() };
}

/** NOTIFY in a statement of its own: in the transaction it would make all commits wait for each other. */
function announcer(pool: pg.Pool): () => void {
  let running = false;
  let again = false;
  const announce = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await pool.query(`notify ${channel}`).catch(() => {});
    } while (again);
    running = false;
  };
  return () => void announce();
}

class Listening {
  readonly #url: string;
  readonly #wakeAll: () => void;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = firstPause;
  #closed = false;

  constructor(url: string, wakeAll: () => void) {
    this.#url = url;
    this.#wakeAll = wakeAll;
  }

  async connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, application_name: "wcs listen", keepAlive: true });
    this.#client = client;
    client.on("notification", this.#wakeAll);
    client.on("error", () => {});
    client.once("end", () => this.#reconnect(client));
    try {
      await client.connect();
      // A listening connection is no reason to keep a process alive.
      (client as unknown as { connection: { stream: { unref(): void } } }).connection.stream.unref();
      await client.query(`listen ${channel}`);
      this.#pause = firstPause;
      this.#wakeAll();
    } catch {
      await client.end().catch(() => {});
      this.#reconnect(client);
    }
  }

  #reconnect(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = undefined;
    this.#timer = setTimeout(() => void this.connect(), this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, longestPause);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }
}
