import type pg from "pg";
import { NamingClient } from "./named-statements.ts";

/** Milliseconds within which PostgreSQL must answer a statement; undefined when it may take any time. */
export interface AnswerLimit {
  milliseconds: number | undefined;
}

declare module "pg" {
  interface ClientConfig {
    answerLimit?: AnswerLimit;
  }
}

/** Ends a connection that is of no more use: PostgreSQL does not answer, its address has moved, or it only reads. */
export class WatchedClient extends NamingClient {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { query: ask, connection } = this;
    const limit = config?.answerLimit;
    let timer: NodeJS.Timeout | undefined;
    let onlyReads = false;
    const stopWaiting = () => {
      clearTimeout(timer);
      timer = undefined;
    };
    const giveUp = () => connection.stream.destroy(new Error("Connection terminated: PostgreSQL does not answer"));
    const watched = (...given: Parameters<typeof ask>) => {
      if (limit?.milliseconds !== undefined) timer ??= setTimeout(giveUp, limit.milliseconds);
      return ask(...given);
    };
    this.query = watched as typeof this.query;
    this.on("drain", stopWaiting);
    this.on("end", stopWaiting);
    connection.on("errorMessage", ({ code }) => {
      if (code === "25006") onlyReads = true;
    });
    connection.on("readyForQuery", ({ status }) => {
      timer?.refresh();
      // Within a transaction, its rollback is still to come.
      if (onlyReads && status === "I") void this.end();
    });
  }
}
