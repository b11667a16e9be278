import pg from "pg";
import { isPrepared } from "../prepared.ts";
import { isCopy, runCopy } from "./copy-statement.ts";
import { withPassword } from "./postgres-password.ts";
import { type AnswerLimit, readOnlyState, watchAnswers } from "./watch-answers.ts";

/** Maximum number of names for statements built by request: PostgreSQL keeps a plan for each. Prepared queries always have one. */
const maxBuilt = 500;
const names = new Map<string, string>();
let built = 0;
let generation = 0;

/** Returns the name under which PostgreSQL keeps the plan; undefined for queries that are built for each request. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (!isPrepared(text)) {
    if (built >= maxBuilt || !/^(insert|update|delete) /.test(text)) return undefined;
    built += 1;
  }
  const name = `wcs${generation}_${names.size}`;
  names.set(text, name);
  return name;
}

/** Makes later queries be prepared again, after a migration by another process changed what a kept plan returns. */
export function forgetNames(): void {
  names.clear();
  built = 0;
  generation += 1;
}

declare module "pg" {
  interface ClientConfig {
    /** Runs the statements of the client without names, because a pooler gives each transaction another connection. */
    behindPooler?: boolean;
    answerLimit?: AnswerLimit;
  }
}

type Query = (text: unknown, values?: unknown, ...rest: unknown[]) => Promise<pg.QueryResult>;

/** A client that parses and plans each prepared statement once for each connection, and takes the rows of COPY as a value. */
export class StoreClient extends pg.Client {
  #isStandby = false;

  constructor(config: pg.ClientConfig = {}) {
    let connectionString = "";
    let unusable: Error | undefined;
    try {
      connectionString = withPassword(config.connectionString ?? "");
    } catch (error) {
      unusable = error as Error;
    }
    super({ ...config, connectionString });
    // A certificate of the URL cannot be read. The pool expects errors of `connect`: one of the constructor would end the process.
    if (unusable !== undefined)
      this.connect = ((done: (error?: Error) => void) => void process.nextTick(done, unusable)) as typeof this.connect;
    this.connection.on("parameterStatus", ({ parameterName, parameterValue }) => {
      if (parameterName === "in_hot_standby") this.#isStandby = parameterValue === "on";
    });
    const isNaming = config.behindPooler !== true;
    const watch = watchAnswers(this, config.answerLimit);
    const query: Query = (...given) => (super.query as Query).apply(this, given);
    const named: Query = (text, values, ...rest) => {
      watch();
      if (typeof text === "string" && isCopy(text)) {
        const [lines] = values as [Uint8Array];
        return runCopy((statement) => void super.query(statement), text, lines);
      }
      const name = isNaming && typeof text === "string" && Array.isArray(values) ? nameOf(text) : undefined;
      return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
    };
    this.query = named as typeof this.query;
  }

  /** Throws when PostgreSQL said that it is a standby, which may lag. Before version 14, and behind most poolers, it says nothing. */
  requirePrimary(): void {
    if (this.#isStandby) throw Object.assign(new Error("This server is a standby."), { code: readOnlyState });
  }
}

/** Makes PostgreSQL keep one plan of a statement: planning takes longest. Set by session, as connection poolers refuse it at startup. */
export async function planOnce(client: pg.ClientBase): Promise<void> {
  await client.query("set plan_cache_mode = force_generic_plan").catch(() => {});
}
