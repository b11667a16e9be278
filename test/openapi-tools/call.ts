// Compiled and run by test/package/openapi.package.ts, with types that openapi-typescript made from the document.
import createClient from "openapi-fetch";
import type { paths } from "./generated/schema.d.ts";

const [url = "", token = "", id = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
const { data, error } = await client.GET("/api/users/{id}", { params: { path: { id: Number(id) } } });
const name: string | undefined = data?.name;
const code: string | undefined = error?.error.code;
// @ts-expect-error: the output has no such field.
const salary: unknown = data?.salary;
process.stdout.write(JSON.stringify({ name, code, salary }));
