import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listeners } from "../change-listeners.ts";
import { lockKey, serverLock } from "../dialect.ts";
import type { Topic } from "../topics.ts";
import { withPassword } from "./postgres-password.ts";

declare module "pg" {
  interface Client {
    /** Lets the process end while the connection is open. Missing in @types/pg. */
    unref(): void;
  }
}

/** The name of the channel, as SQL. Each schema has its own, because it may hold another instance. */
const channel = "'wcs_changes_' || hashtextextended(current_schema(), 0)";
const firstPause = 500;
const maxPause = 10_000;
const closeTimeout = 1000;

/** Payloads must be shorter than 8,000 bytes. A longer one is sent empty, which stands for any topic. */
const maxPayloadLength = 7_900;

/** Uses LISTEN and NOTIFY only as a wake-up, since listeners also poll. Without a URL only changes of this process are noticed. */
export function postgresChanges(pool: pg.Pool, url: string | undefined) {
  const self = randomUUID();
  let close: (() => Promise<void>) | undefined;
  const { onChange, wakeAll } = listeners((wake) => {
    if (url === undefined) return () => {};
    close = listen(url, (payload) => {
      const [sender, ...topics] = payload?.split(" ") ?? [];
      // Listeners in this process were already called.
      if (sender !== self) wake(topics.length > 0 ? (topics as Topic[]) : undefined);
    });
    return () => void close?.();
  });
  const notify = notifier(pool, self);
  const announce = (topics: readonly Topic[]) => {
    wakeAll(topics);
    notify(topics);
  };
  return { onChange, announce, close: () => close?.() };
}

/** Sends NOTIFY in statements of its own, because it serializes commits. Further topics wait for the next one. */
function notifier(pool: pg.Pool, self: string): (topics: readonly Topic[]) => void {
  const waiting = new Set<Topic>();
  let running = false;
  const notify = async () => {
    if (running) return;
    running = true;
    while (waiting.size > 0) {
      const payload = [self, ...waiting].join(" ");
      waiting.clear();
      const sent = payload.length > maxPayloadLength ? self : payload;
      await pool.query(`select pg_notify(${channel}, $1)`, [sent]).catch(() => {});
    }
    running = false;
  };
  return (topics) => {
    for (const topic of topics) waiting.add(topic);
    void notify();
  };
}

/** Listens on a connection of its own, which is opened again when it breaks. Returns a function that closes it. */
function listen(url: string, wake: (payload?: string) => void): () => Promise<void> {
  let current: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pause = firstPause;
  let isClosed = false;
  const connect = async () => {
    let client: pg.Client | undefined;
    try {
      // Throws while a certificate that the URL names is missing.
      client = new pg.Client({ connectionString: withPassword(url), application_name: "wcs listen", keepAlive: true });
      current = client;
      client.on("notification", ({ payload }) => wake(payload));
      client.on("error", () => {});
      client.once("end", () => reconnect(client));
      await client.connect();
      // The listening connection must not keep the process alive.
      client.unref();
      const { rows } = await client.query<{ name: string }>(`select ${channel} as name`);
      for (const { name } of rows) await client.query(`listen ${client.escapeIdentifier(name)}`);
      // Keeps others from migrating the schema that this process works with. Engines without such locks work without this.
      await client.query(`select pg_advisory_lock_shared(${lockKey(serverLock)})`).catch(() => {});
      pause = firstPause;
      wake();
    } catch {
      await client?.end().catch(() => {});
      reconnect(client);
    }
  };
  const reconnect = (client: pg.Client | undefined) => {
    if (isClosed || current !== client) return;
    current = undefined;
    timer = setTimeout(connect, pause).unref();
    pause = Math.min(pause * 2, maxPause);
  };
  void connect();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    // A machine that has vanished does not confirm the end.
    await Promise.race([current?.end().catch(() => {}), sleep(closeTimeout)]);
  };
}
