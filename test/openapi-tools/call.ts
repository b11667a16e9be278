// Compiled and run by test/package/openapi.package.ts, with types that openapi-typescript made from the document.
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./generated/schema.d.ts";

const [url = "", token = "", id = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
const { data, error } = await client.GET("/api/users/{id}", { params: { path: { id: Number(id) } } });
const name: string | undefined = data?.name;
const code: string | undefined = error?.error.code;
// @ts-expect-error: the output has no such field.
const salary: unknown = data?.salary;
type Callback = webhooks["user.create" | "unit.delete"]["post"]["requestBody"]["content"]["application/json"];
export const receive = (event: Callback): string =>
  event.type === "user.create" ? event.data.first_name : event.data.unit_type;
// @ts-expect-error: a row needs a unit.
export const row: components["schemas"]["UserRow"] = {
  first_name: "Ada",
  last_name: "Lovelace",
  email: "ada@example.com",
};

process.stdout.write(JSON.stringify({ name, code, salary }));
