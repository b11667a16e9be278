import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import type { Instance } from "./instance.ts";

/** Registers a webhook; its ID and secret. */
export async function newWebhook({ administrator }: Instance, uri: string, name = "ci") {
  const { id, secret = "" } = (await administrator.call(webhooks.create, { name, uri })).data;
  return { id, secret };
}

let number = 0;

/** Makes as many users, one event each; several by one import, which costs a fraction of as many requests. */
export async function makeUsers({ administrator }: Instance, count = 1): Promise<number[]> {
  const rows = Array.from({ length: count }, () => {
    number += 1;
    return { first_name: "Bo", last_name: `No ${number}`, email: `user${number}@example.com` };
  });
  if (count === 1) return [(await administrator.call(users.create, { ...rows[0]!, unit: 1 })).id];
  const { results } = await administrator.call(users.import, { rows: rows.map((row) => ({ ...row, unit: "root" })) });
  // No row is skipped, so each has an ID.
  return results.map(({ id }) => id!);
}

/** The log of a webhook, newest first. */
export async function logOf({ administrator }: Instance, id: number, filter: object = {}) {
  return (await administrator.call(webhooks.logs, { id, limit: 500, ...filter })).data;
}
