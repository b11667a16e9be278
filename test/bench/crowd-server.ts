/** A process of its own that serves an instance whose users talk in pairs: each even one with the one after. */

import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server/listen.ts";
import { openNewInstance } from "../support/new-instance.ts";

export interface Person {
  readonly id: number;
  readonly jwt: string;
  /** The conversation with the other of the pair, and its last message. */
  readonly conversation: number;
  readonly message: number;
}

const [target = "", count = ""] = process.argv.slice(2);
const database = await openNewInstance(target);
const service = createService({ database });
const as = (userId: number) => service.caller({ userId });
const add = async (n: number) => {
  const fields = { first_name: "Bo", last_name: `Bench${n}`, email: `bo${n}@example.com`, unit: 1 };
  return (await as(1).call(users.create, fields)).id;
};
const people: Person[] = [];
for (let n = 0; n < Number(count); n += 2) {
  const [one, other] = [await add(n), await add(n + 1)];
  const begun = await as(one).call(conversations.create, { recipients: [other], message: "Hello" });
  for (const id of [one, other]) {
    const [{ jwt }] = await as(id).call(auth.renew, {});
    people.push({ id, jwt, conversation: begun.conversationId, message: begun.id });
  }
}
const operations = await allOperations();
const app = createApp({
  operations,
  invoke: service.invoke,
  admit: service.admit,
  bodyLimit: 1_048_576,
  uploadLimit: 41_943_040,
  log: { debug() {}, info() {}, warn() {}, error() {} },
  ready: async () => true,
  baseUrl: service.baseUrl,
  instance: service.instance,
  version: "0.0.0",
});
const { url } = await listen(app, { host: "127.0.0.1", port: 0 });
process.send?.({ url, people });
