/**
 * The cheapest program that could do the work, as a process of its own:
 * `bytes <file>`: node:http that answers the bytes in the file, by path;
 * `statements <file> <url>`: the same on PostgreSQL, after the statements in the file, as named prepared ones.
 */
import { readFileSync } from "node:fs";
import http from "node:http";
import pg from "pg";

/** The answer to a path, and the statements that it takes. */
export interface KnownAnswer {
  readonly body: string;
  readonly statements?: readonly { readonly text: string; readonly values: unknown[] }[];
}

const [kind, file = "", url = ""] = process.argv.slice(2);

const known = () => new Map(Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, KnownAnswer>));

function answer(response: http.ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function fromMemory(): http.RequestListener {
  const answers = known();
  return (request, response) => answer(response, answers.get(request.url!)!.body);
}

function fromPostgres(): http.RequestListener {
  const answers = known();
  const pool = new pg.Pool({ connectionString: url, max: 10, options: "-c plan_cache_mode=force_generic_plan" });
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return name;
  };
  return async (request, response) => {
    const { body, statements = [] } = answers.get(request.url!)!;
    try {
      for (const { text, values } of statements) await pool.query({ name: nameOf(text), text, values });
      answer(response, body);
    } catch (error) {
      response.writeHead(500, { "content-length": 0 });
      response.end();
      process.stderr.write(`${request.url}: ${error}\n`);
    }
  };
}

const listener = { bytes: fromMemory, statements: fromPostgres }[kind!]!();
const server = http.createServer(listener);
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as { port: number }).port}\n`);
});
