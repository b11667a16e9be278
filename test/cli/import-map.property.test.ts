import fc from "fast-check";
import { expect, it } from "vitest";
import { parseMap } from "../../src/cli/commands/transfer/mapping-flags.ts";
import { createMapping } from "../../src/cli/file-io/column-mapping.ts";
import { readHeader } from "../../src/cli/file-io/csv-header.ts";
import { tableOf } from "../../src/cli/file-io/file-rows.ts";
import { userRow } from "../../src/contract/user-schemas.ts";
import { tries } from "../support/effort.ts";

const table = tableOf("users", userRow());

/** Names of columns with the characters that the flag uses itself, as different as the mapping compares them. */
const columns = fc.uniqueArray(
  fc
    .oneof(
      fc.string({ unit: fc.constantFrom(..."\",= a'ß-"), minLength: 1, maxLength: 6 }),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
    )
    .map((name) => name.trim())
    .filter((name) => name !== ""),
  {
    minLength: table.columns.length,
    maxLength: table.columns.length,
    selector: (name) => name.trim().normalize("NFC").toLowerCase(),
  },
);

it("--map takes any column in quotes, and a header in any order gives the mapped fields", () => {
  fc.assert(
    fc.property(columns, fc.infiniteStream(fc.nat()), (names, order) => {
      const map = names.map((name, at) => ({ column: name, field: table.columns[at] ?? "" }));
      const text = map.map(({ column, field }) => `"${column.replaceAll('"', '""')}"=${field}`).join(", ");
      const parsed = parseMap(text);
      expect(parsed).toEqual(map);
      const mapping = createMapping({ columns: parsed, values: {} }, table);
      const shuffled = map.toSorted(() => ((order.next().value ?? 0) % 2 === 0 ? 1 : -1));
      const header = shuffled.map(({ column }) => ` ${column} `);
      expect(readHeader(header, table, "file", mapping)).toEqual(shuffled.map(({ field }) => field));
      expect(mapping.report()).toEqual({ unmapped_columns: [], fields_without_column: [] });
    }),
    { numRuns: tries(300) },
  );
});

it("--map without quotes takes what has no comma and does not begin with a quote", () => {
  expect(parseMap("E-Mail (dienstl.)=email, a = b=title,Kommentar=,")).toEqual([
    { column: "E-Mail (dienstl.)", field: "email" },
    { column: "a = b", field: "title" },
    { column: "Kommentar", field: "" },
  ]);
});
