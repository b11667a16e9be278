import { hash } from "node:crypto";
import type { StoredRow, StoredValue } from "./row-batches.ts";
import type { Table } from "./table-catalogue.ts";

/**
 * Number of rows and checksum of a table. The checksum is the sum of the SHA-256 hashes of all rows, so the order of the
 * rows does not matter, and a row that occurs twice counts twice.
 */
export class TableDigest {
  readonly #columns: readonly string[];
  readonly #sum = new Uint32Array(8);
  rows = 0;

  constructor({ columns }: Table) {
    this.#columns = columns;
  }

  add(rows: readonly StoredRow[]): void {
    this.rows += rows.length;
    for (const row of rows) {
      const cells = this.#columns.map((column) => canonical(row[column]));
      const digest = hash("sha256", JSON.stringify(cells), "buffer");
      // Each element wraps around at 2^32.
      for (let at = 0; at < this.#sum.length; at++) this.#sum[at]! += digest.readUInt32LE(at * 4); // inside the array
    }
  }

  /** Returns the count and the checksum as a text to compare. */
  toString(): string {
    return `${this.rows} ${Buffer.from(this.#sum.buffer).toString("hex")}`;
  }
}

/** Bytes become a list, which no other value is. */
function canonical(value: StoredValue | undefined): string | number | null | string[] {
  if (value instanceof Uint8Array)
    return [Buffer.from(value.buffer, value.byteOffset, value.length).toString("base64")];
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new TypeError("A stored value is neither text, a number nor bytes.");
}
