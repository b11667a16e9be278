import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { anyUser } from "./company.ts";
import { type Figure, median } from "./figure.ts";
import type { Bench } from "./http.ts";
import { type Message, messageOf, send } from "./load.ts";

const rounds = 3;
const text = "The ship comes in at noon; please have the crane ready at the second pier.";
let count = 0;

/** H2 and H2b: messages per second, each durable when it is answered, and the CPU time of other writes. */
export async function* writeFigures(bench: Bench): AsyncGenerator<Figure> {
  const measured: number[] = [];
  const cpu: number[] = [];
  const floors: number[] = [];
  await posted(bench);
  for (let round = 0; round < rounds; round += 1) {
    floors.push(commitsPerSecond(join(bench.folder, "floor.db")));
    const { perSecond, milliseconds } = await posted(bench);
    measured.push(perSecond);
    cpu.push(milliseconds);
  }
  yield {
    id: "H2",
    what: "POST of a message, durable when answered (SQLite)",
    measured: median(measured),
    floor: median(floors),
    unit: "/s",
    target: ">= 0.5 x",
    note: `floor: commits of single rows by node:sqlite; ${median(cpu).toFixed(2)} ms of CPU`,
  };
  yield await writeFigure(bench, "PATCH of a user", (n) => ({
    method: "PATCH",
    path: `/api/users/${anyUser(n)}`,
    body: { title: `Title ${n}`, first_name: `Given${n % 89}` },
  }));
  yield await writeFigure(bench, "POST of a user", (n) => ({
    method: "POST",
    path: "/api/users",
    body: { first_name: "Bo", last_name: `Bench${n}`, email: `bo${n}@example.com`, unit: 1 + (n % 5000) },
  }));
  yield await writeFigure(bench, "POST of a post", (n) => ({
    method: "POST",
    path: "/api/content",
    body: { content_type: "news", title: `News ${n}`, body: "Now with soup. ".repeat(20), unit: 1 + (n % 5000) },
  }));
}

async function writeFigure(
  { server, tokens }: Bench,
  what: string,
  request: (n: number) => { method: string; path: string; body: object },
): Promise<Figure> {
  const measured: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const messages = Array.from({ length: 300 }, (): Message => {
      count += 1;
      return messageOf({ ...request(count), token: tokens[count % tokens.length]! });
    });
    const before = server.cpu();
    await send({ port: server.port, messages, connections: 4 });
    if (round >= 0) measured.push(((server.cpu() - before) * 1000) / messages.length);
  }
  return {
    id: "H2b",
    what: `${what}, CPU of a request (SQLite)`,
    measured: median(measured),
    floor: 1,
    unit: "ms",
    target: "<= 1 ms",
    note: "floor: what it may take",
  };
}

async function posted({ server, tokens }: Bench): Promise<{ perSecond: number; milliseconds: number }> {
  const messages = Array.from({ length: 6_000 }, (_, n) => {
    const conversation = 1 + (n % 1000);
    const path = `/api/conversations/${conversation}/messages`;
    return messageOf({ method: "POST", path, token: tokens[conversation % tokens.length]!, body: { message: text } });
  });
  const [cpu, begin] = [server.cpu(), performance.now()];
  await send({ port: server.port, messages, connections: 32 });
  const seconds = (performance.now() - begin) / 1000;
  return { perSecond: messages.length / seconds, milliseconds: ((server.cpu() - cpu) * 1000) / messages.length };
}

function commitsPerSecond(file: string): number {
  const floor = new DatabaseSync(file);
  floor.exec("pragma journal_mode = wal; pragma synchronous = full");
  floor.exec(
    "create table messages (id integer primary key, conversation_id integer, author_id integer, message text)",
  );
  const insert = floor.prepare("insert into messages (conversation_id, author_id, message) values (1, 1, ?)");
  const begin = performance.now();
  let inserted = 0;
  for (; performance.now() - begin < 1500; inserted += 1) insert.run(text);
  const rate = (inserted * 1000) / (performance.now() - begin);
  floor.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  return rate;
}
