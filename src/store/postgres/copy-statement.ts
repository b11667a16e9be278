import pg from "pg";

declare module "pg" {
  interface Connection {
    /** Missing in @types/pg. */
    sendCopyFromChunk(chunk: Uint8Array): void;
    endCopyFrom(): void;
  }
}

export const isCopy = (text: string): boolean => text.startsWith("copy ");

type Done = (error: Error | undefined, result: pg.ResultBuilder) => void;

/** Runs a COPY ... FROM STDIN by `submit`. `lines` are its rows in the text format of COPY. */
export function runCopy(submit: (statement: pg.Submittable) => void, text: string, lines: Uint8Array) {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
  submit(new CopyStatement(text, lines, (error, result) => (error ? reject(error) : resolve(result))));
  return promise;
}

class CopyStatement extends pg.Query {
  readonly #lines: Uint8Array;

  constructor(text: string, lines: Uint8Array, done: Done) {
    super(text, done);
    this.#lines = lines;
  }

  /** Called by pg when the server is ready for the rows. */
  handleCopyInResponse(connection: pg.Connection): void {
    connection.sendCopyFromChunk(this.#lines);
    connection.endCopyFrom();
  }
}
