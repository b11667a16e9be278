import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import type { Instance } from "./instance.ts";

/** Registers a webhook; its ID and secret. */
export async function newWebhook({ administrator }: Instance, uri: string, name = "ci") {
  const { id, secret = "" } = (await administrator.call(webhooks.create, { name, uri })).data;
  return { id, secret };
}

let number = 0;

/** Makes as many users, one event each. */
export async function makeUsers({ administrator }: Instance, count = 1): Promise<number[]> {
  const ids = [];
  for (let i = 0; i < count; i++) {
    number += 1;
    const email = `user${number}@example.com`;
    const made = await administrator.call(users.create, {
      first_name: "Bo",
      last_name: `No ${number}`,
      email,
      unit: 1,
    });
    ids.push(made.id);
  }
  return ids;
}

/** The log of a webhook, newest first. */
export async function logOf({ administrator }: Instance, id: number, filter: object = {}) {
  return (await administrator.call(webhooks.logs, { id, limit: 500, ...filter })).data;
}
