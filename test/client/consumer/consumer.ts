// Compiled by test/client/types.test.ts as a program of somebody else: for browsers, without types of Node or zod.
import {
  type Client,
  connect,
  type ErrorCode,
  ServiceError,
  type User,
  type UsersCreateInput,
} from "@wcs-tool/wcs/client";

const client: Client = connect({ url: "https://wcs.example.org", token: async () => "wcs_token" });

export async function accepted(signal: AbortSignal): Promise<string[]> {
  const user: User = await client.users.get({ id: 5 }, { signal });
  await client.users.current();
  await client.users.list();
  await client.users.update({ id: user.id, title: undefined, settings: { show_birthdays: "none" } });
  const created: UsersCreateInput = { first_name: "Ada", last_name: "Lovelace", unit: 1, service: true };
  await client.users.create(created, { dryRun: true, idempotencyKey: "k" });
  const nothing: undefined = await client.users.delete({ id: 5 });
  const names: string[] = [String(nothing)];
  for await (const each of client.users.list.all({ below: true, unit: 1 })) names.push(each.name);
  const file: Response = await client.files.get({ id: 1 });
  const [{ jwt }] = await client.auth.authenticate({ username: "ada", password: "secret" });
  return [...names, jwt, await file.text()];
}

export function errorOf(error: unknown): [ErrorCode, number, readonly string[]] | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const seconds: number | undefined = error.retryAfter;
  return [error.code, error.status + (seconds ?? 0), error.fields?.email ?? []];
}

export function refused(): void {
  // @ts-expect-error: the URL is required.
  connect({});
  // @ts-expect-error: the ID is required.
  void client.users.get();
  // @ts-expect-error: the ID is a number.
  void client.users.get({ id: "5" });
  // @ts-expect-error: the operation has no such field.
  void client.users.current({ id: 5 });
  // @ts-expect-error: the field has other values.
  void client.users.update({ id: 5, settings: { show_birthdays: "sometimes" } });
  // @ts-expect-error: the group has no such operation.
  void client.users.suspend({ id: 5 });
  // @ts-expect-error: only lists have pages.
  void client.users.get.all({ id: 5 });
  // @ts-expect-error: the output has no such field.
  void client.users.current().then(({ salary }) => salary);
  // @ts-expect-error: the code does not exist.
  const code: ErrorCode = "teapot";
  void code;
}
