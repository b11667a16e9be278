import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { conversations } from "../../src/contract/conversations.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { createService, type Service } from "../../src/core/service.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Figure, median } from "./figure.ts";
import { type Filled, fillMessages } from "./many-messages.ts";

const many = 5_000_000;
const few = many / 100;
const rounds = 400;

/** G1 of conversations: the middle of the times that operations take with 5 M messages, and with a hundredth of them. */
export async function messages(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-messages-"));
  const postgres = await startPostgres();
  try {
    return [
      ...(await growth("SQLite", join(folder, "few.db"), join(folder, "many.db"))),
      ...(await growth("PostgreSQL", await created(postgres.url, "few"), await created(postgres.url, "many"))),
    ];
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function created(server: string, name: string): Promise<string> {
  const client = new pg.Client(`${server}/postgres`);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `${server}/${name}`;
}

/** Something to ask; `n` differs each time, and with it the user and the conversation. */
type Ask = (asked: { filled: Filled; as: (user: number) => Caller; n: number }) => Promise<unknown>;

/** A conversation of 100 messages and one of its two users. */
function smallOne({ conversations: count, userOf }: Filled, n: number): { id: number; user: number } {
  const id = 1 + ((n * 7919) % count);
  return { id, user: userOf(id) };
}
const words = (n: number) => `w${(n * 31) % 5000} w${(n * 17) % 500}`;

const asks: Record<string, Ask> = {
  "newest page of 25 messages": ({ filled, as, n }) => {
    const { id, user } = smallOne(filled, n);
    return as(user).call(conversations.messages, { id });
  },
  "page around one of a fifth of all messages": ({ filled, as, n }) => {
    const starter_message_id = filled.largeFirst + ((n * 7919) % filled.largeCount);
    return as(1).call(conversations.messages, { id: filled.large, starter_message_id });
  },
  "search in 100 messages": ({ filled, as, n }) => {
    const { id, user } = smallOne(filled, n);
    return as(user).call(conversations.messages, { id, query: words(n) });
  },
  "search in a fifth of all messages": ({ filled, as, n }) =>
    as(1).call(conversations.messages, { id: filled.large, query: `w${1000 + ((n * 31) % 4000)}` }),
  "search by one letter in a fifth of all messages": ({ filled, as }) =>
    as(1).call(conversations.messages, { id: filled.large, query: "w" }),
  "list of conversations": ({ filled, as, n }) => as(smallOne(filled, n).user).call(conversations.list, {}),
  "list of conversations with a keyword": ({ filled, as, n }) =>
    as(smallOne(filled, n).user).call(conversations.list, { keyword: `given${n % 97}` }),
  "list of unread conversations": ({ filled, as, n }) =>
    as(smallOne(filled, n).user).call(conversations.list, { status: "unread" }),
  "conversation of exactly these people": ({ filled, as, n }) => {
    const { user } = smallOne(filled, n);
    return as(user).call(conversations.list, { participants: [user + 1] });
  },
  "one conversation": ({ filled, as, n }) => {
    const { id, user } = smallOne(filled, n);
    return as(user).call(conversations.get, { id });
  },
};

async function growth(where: string, fewTarget: string, manyTarget: string): Promise<Figure[]> {
  const small = await fillMessages(fewTarget, few);
  const large = await fillMessages(manyTarget, many);
  const services = [small, large].map(({ database }) => createService({ database })) as [Service, Service];
  const figures: Figure[] = [];
  for (const [what, ask] of Object.entries(asks)) {
    const times: [number[], number[]] = [[], []];
    for (let n = 1; n <= rounds; n += 1) {
      for (const [at, filled] of [small, large].entries()) {
        const as = (user: number) => services[at]!.caller({ userId: user });
        const begin = performance.now();
        await ask({ filled, as, n });
        times[at]!.push(performance.now() - begin);
      }
    }
    const [floor, measured] = times.map(median) as [number, number];
    const note = `floor: with ${few} messages`;
    figures.push({ id: "G1", what: `${what} (${where})`, measured, floor, unit: "ms", target: "<= 1.3 x", note });
  }
  await small.database.close();
  await large.database.close();
  return figures;
}
