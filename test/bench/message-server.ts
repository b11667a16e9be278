/** A process of its own that serves an instance with a conversation, and measures the floor: commits of single rows. */
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { createApp } from "../../src/http/server/app.ts";
import { listen } from "../../src/http/server/listen.ts";
import { openDatabase } from "../../src/store/open-database.ts";

const [target = "", text = "", floorFile = ""] = process.argv.slice(2);
const database = await openDatabase(target);
const service = createService({ database });
const caller = service.caller({ userId: 1 });
const fields = { first_name: "Bo", last_name: "Bench", email: `bo${Date.now()}@example.com`, unit: 1 };
const other = await caller.call(users.create, fields);
const { conversationId } = await caller.call(conversations.create, { recipients: [other.id], message: text });
const [{ jwt }] = await caller.call(auth.renew, {});
const operations = await allOperations();
const app = createApp({
  operations,
  invoke: service.invoke,
  log: { info() {}, warn() {}, error() {} },
  baseUrl: service.baseUrl,
});
const { url } = await listen(app, { host: "127.0.0.1", port: 0 });

process.on("message", (seconds: number) => process.send?.({ floor: commitsPerSecond(seconds) }));
process.send?.({ url: `${url}/api/conversations/${conversationId}/messages`, jwt });

function commitsPerSecond(seconds: number): number {
  const floor = new DatabaseSync(floorFile);
  floor.exec("pragma journal_mode = wal; pragma synchronous = full");
  floor.exec(
    "create table messages (id integer primary key, conversation_id integer, author_id integer, message text)",
  );
  const insert = floor.prepare("insert into messages (conversation_id, author_id, message) values (1, 1, ?)");
  const begin = performance.now();
  let count = 0;
  for (; performance.now() - begin < seconds * 1000; count += 1) insert.run(text);
  const rate = (count * 1000) / (performance.now() - begin);
  floor.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(floorFile + end, { force: true });
  return rate;
}
