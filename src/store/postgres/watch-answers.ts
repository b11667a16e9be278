import type pg from "pg";

/** Milliseconds within which PostgreSQL must answer a statement; undefined when it may take any time. */
export interface AnswerLimit {
  milliseconds: number | undefined;
}

/** SQLSTATE of changes in a read-only transaction. */
export const readOnlyState = "25006";

/**
 * Ends a connection that is of no more use: PostgreSQL does not answer, its address has moved, or it only reads. Returns a function
 * to call before each statement.
 */
export function watchAnswers(client: pg.Client, limit: AnswerLimit | undefined): () => void {
  const { connection } = client;
  let timer: NodeJS.Timeout | undefined;
  let onlyReads = false;
  const stopWaiting = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const giveUp = () => connection.stream.destroy(new Error("Connection terminated: PostgreSQL does not answer"));
  client.on("drain", stopWaiting);
  client.on("end", stopWaiting);
  connection.on("errorMessage", ({ code, routine }) => {
    // A standby refuses the isolation level as a missing feature.
    if (code === readOnlyState || (code === "0A000" && routine === "call_enum_check_hook")) onlyReads = true;
  });
  connection.on("readyForQuery", ({ status }) => {
    timer?.refresh();
    // Within a transaction, its rollback is still to come.
    if (onlyReads && status === "I") void client.end();
  });
  return () => {
    if (limit?.milliseconds !== undefined) timer ??= setTimeout(giveUp, limit.milliseconds);
  };
}
