import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../database.ts";
import { hexadecimal, type StoredRow, type StoredValue } from "../insert-by-copy.ts";
import type { CatalogueTable } from "./table-catalogue.ts";

/** Number of rows, and the sum of 64 bits of their SHA-256 hashes, which does not depend on their order. */
export class TableDigest {
  readonly #columns: readonly string[];
  #sum = 0n;
  rows = 0;

  constructor({ columns }: Pick<CatalogueTable, "columns">) {
    this.#columns = columns;
  }

  add(rows: readonly StoredRow[]): void {
    this.rows += rows.length;
    for (const row of rows) {
      let text = "";
      for (const column of this.#columns) text += `${canonical(row[column])},`;
      this.#sum += hash("sha256", text, "buffer").readBigUInt64BE();
    }
  }

  /** Returns the count and the checksum as a text to compare. */
  toString(): string {
    return described(this.rows, this.#sum);
  }
}

const described = (rows: number, sum: bigint) => `${rows} ${BigInt.asUintN(64, sum).toString(16)}`;

/** Texts have their length before them, so that the end of a cell is certain. */
function canonical(value: StoredValue | undefined): string {
  if (value === null) return "";
  if (typeof value === "string") return `${Buffer.byteLength(value)}:${value}`;
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : hexadecimalFloat(value);
  if (value instanceof Uint8Array) return hexadecimal(value);
  throw new TypeError("A stored value is neither text, a number nor bytes.");
}

/** The databases write the digits of a fraction differently, so its bytes are compared. */
function hexadecimalFloat(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString("hex");
}

/** Returns the same text as a `TableDigest` of all rows. The server reads them, several processes at a time. */
export async function digestOnPostgres(db: Db, { name, columns, types }: CatalogueTable): Promise<string> {
  const cells = sql.join(columns.map((column, at) => canonicalOnPostgres(sql.ref(column), types[at])));
  const { rows } = await sql<{ rows: number; sum: string }>`
    select count(*) as rows,
      coalesce(sum(('x' || substr(encode(sha256(convert_to(concat(${cells}), 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint), 0)::text as sum
    from ${sql.table(name)}`.execute(db);
  const [{ rows: count, sum }] = rows as [{ rows: number; sum: string }];
  return described(count, BigInt(sum));
}

/** Corresponds to `canonical`. A concatenation with a NULL is NULL, and `concat` takes that as an empty text. */
function canonicalOnPostgres(column: RawBuilder<unknown>, type: string | undefined): RawBuilder<unknown> {
  if (type === "text") return sql`octet_length(convert_to(${column}, 'UTF8')) || ':' || ${column}, ','`;
  if (type === "bytea") return sql`encode(${column}, 'hex'), ','`;
  if (type !== "float8") return sql`${column}, ','`;
  const isInteger = sql`${column} = trunc(${column}) and abs(${column}) <= ${sql.lit(Number.MAX_SAFE_INTEGER)}`;
  return sql`case when ${isInteger} then ${column}::bigint::text else encode(float8send(${column}), 'hex') end, ','`;
}
