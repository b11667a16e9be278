import { allOperations } from "../../src/contract/all-operations.ts";
import { once } from "../../src/contract/once.ts";
import { documentedPath, openapi } from "../../src/http/openapi.ts";

/** A request in the log of a server. */
interface LoggedRequest {
  readonly method?: unknown;
  readonly route?: unknown;
  readonly status?: unknown;
}

/** One text for all requests of an operation with one status. */
export const statusLine = ({ method, route, status }: LoggedRequest): string => `${method} ${route} ${status}`;

/** Returns those of the `lines` with a status that the OpenAPI document does not list for the operation. */
export async function undocumentedStatuses(lines: ReadonlySet<string>): Promise<string[]> {
  const documented = await documentedStatuses();
  return [...lines].filter((line) => {
    const [operation = "", status = ""] = line.replace(/^HEAD /, "GET ").split(/ (?=\d+$)/);
    return documented.get(operation)?.includes(status) === false;
  });
}

/** The statuses by method and route. */
const documentedStatuses = once(async () => {
  const operations = await allOperations();
  const { paths } = openapi(operations);
  const entries = operations.map((op) => {
    const described = Object(paths?.[documentedPath(op)])[op.method.toLowerCase()];
    return [`${op.method} ${op.path}`, Object.keys(described.responses)] as const;
  });
  return new Map<string, string[]>(entries);
});
