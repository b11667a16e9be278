import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { csvLine } from "../../src/cli/file-io/csv-line.ts";
import { type CsvRecord, recordsOf } from "../../src/cli/file-io/csv-records.ts";
import { linesOf } from "../../src/cli/file-io/read-lines.ts";
import { isLine } from "../../src/contract/common-schemas.ts";
import { tries } from "../support/effort.ts";
import { sqliteLocal } from "../support/instance.ts";
import { newPlace, type Place } from "./places.ts";

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.close();
});

/** Text on one line, of the characters that files of rows and spreadsheets care about, and of all others. */
const text = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(..."'=+-@,;\" ＝＋\u00a0\u200d\u200f\ufeff\ufffdaé😀"), maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 12 }),
  )
  .filter(isLine);
/** Names must show something. */
const name = text.filter((value) => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(value));

it("an export of any texts is unchanged by an import, apart from spaces around names", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, name, text, text, text), { minLength: 50, maxLength: 100 }),
      async (all) => {
        const rows = all.map(([first_name, last_name, title, phone, meta_field_4], at) => {
          return {
            reference: `p-${at}`,
            first_name,
            last_name,
            email: `p${at}@example.com`,
            unit: "root",
            provider: at % 2 === 0 ? "local" : "okta",
            title,
            phone,
            meta_field_4,
          };
        });
        const [one, other] = [await newPlace(sqliteLocal), await newPlace(sqliteLocal)];
        places.push(one, other);
        const rowsIn = async ({ home, args }: Place) => {
          const { stdout } = await home.sit(["users", "export", "--format", "ndjson", ...args]);
          return stdout
            .trimEnd()
            .split("\n")
            .slice(1)
            .map((line) => JSON.parse(line));
        };
        const [ndjson, csv] = [one.home.path("rows.ndjson"), one.home.path("rows.csv")];
        writeFileSync(ndjson, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
        expect(await one.home.sit(["users", "import", ndjson, ...one.args])).toMatchObject({ code: 0 });
        const kept = rows.map(({ first_name, last_name, phone, ...row }) => {
          return { ...row, first_name: first_name.trim(), last_name: last_name.trim(), phone: phone || null };
        });
        expect(await rowsIn(one)).toMatchObject(kept);
        await one.home.sit(["users", "export", csv, ...one.args]);
        expect(await other.home.sit(["users", "import", csv, ...other.args])).toMatchObject({ code: 0 });
        expect(await rowsIn(other)).toEqual(await rowsIn(one));
      },
    ),
    { numRuns: tries(5) },
  );
});

it("cells are the same however the text is cut into chunks", async () => {
  const rows = fc.array(fc.array(fc.string({ unit: "binary" }), { minLength: 2, maxLength: 4 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), async (all, size) => {
      const filled = all.filter((cells) => cells.some((cell) => cell.trim() !== ""));
      const bytes = Buffer.from(["a,b\n", ...filled.map(csvLine)].join(""));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const records: CsvRecord[] = [];
      for await (const some of recordsOf(linesOf(chunksOf(chunks), "test"))) records.push(...some);
      expect(records.slice(1).map((record) => record.cells)).toEqual(filled);
      let line = 2;
      for (const [at, record] of records.slice(1).entries()) {
        expect(record.line).toBe(line);
        line += csvLine(filled[at]!).split("\n").length - 1;
      }
    }),
    { numRuns: tries(500) },
  );
});

async function* chunksOf(chunks: readonly Uint8Array[]) {
  yield* chunks;
}
