import { ApiConnection } from "./api-connection.ts";
import type { CallOptions, ConnectOptions } from "./client-types.ts";
import type { OperationRow } from "./operation-rows.ts";

type Input = Readonly<Record<string, unknown>>;
type Call = (input?: Input, options?: CallOptions) => Promise<unknown>;

/** Returns an object with a method for each operation: `client.users.get({ id })`. The package declares its types. */
export function connectClient(rows: readonly OperationRow[], options: ConnectOptions): Record<string, object> {
  const renewal = rows.find(({ name }) => name === "auth.renew");
  if (renewal === undefined) throw new Error("The operation auth.renew is missing.");
  const connection = new ApiConnection(options, renewal);
  const client: Record<string, Record<string, Call>> = {};
  for (const row of rows) {
    const [group = "", verb = ""] = row.name.split(".");
    const call: Call = (input, given) => connection.call(row, input, given);
    if (row.items !== undefined) {
      Object.assign(call, { all: (input?: Input, given?: CallOptions) => connection.all(row, input, given) });
    }
    client[group] ??= {};
    client[group][verb] = call;
  }
  return client;
}
