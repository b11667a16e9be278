import type pg from "pg";

declare module "pg" {
  interface Client {
    /** Missing in @types/pg. */
    readonly connection: pg.Connection;
  }
}

/** A connection of the pool that has not answered all its reads yet. */
interface Lane {
  readonly client: Promise<pg.PoolClient>;
  waiting: number;
}

/** Returns a function that runs reads, each in its own transaction, on few connections, which take more before they have answered. */
export function pipelinedReads(pool: pg.Pool, max: number) {
  const lanes: Lane[] = [];
  const take = (): Lane => {
    if (lanes.length >= max) return lanes.reduce((a, b) => (b.waiting < a.waiting ? b : a));
    const lane = { client: pool.connect(), waiting: 0 };
    lanes.push(lane);
    return lane;
  };
  const leave = (lane: Lane, client?: pg.PoolClient) => {
    lane.waiting -= 1;
    if (lane.waiting > 0) return;
    lanes.splice(lanes.indexOf(lane), 1);
    client?.release();
  };
  return async (text: string, values: readonly unknown[]): Promise<unknown[]> => {
    const lane = take();
    lane.waiting += 1;
    let client: pg.PoolClient | undefined;
    try {
      client = await lane.client;
      writeAtOnce(client);
      return (await client.query(text, values as unknown[])).rows;
    } finally {
      leave(lane, client);
    }
  };
}

const corkedClients = new WeakSet<pg.PoolClient>();

function writeAtOnce(client: pg.PoolClient): void {
  if (corkedClients.has(client)) return;
  corkedClients.add(client);
  const { stream } = client.connection;
  stream.cork();
  setImmediate(() => {
    corkedClients.delete(client);
    stream.uncork();
  });
}
