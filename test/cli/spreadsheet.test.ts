import fc from "fast-check";
import { expect, it } from "vitest";
import { escapeCell, unescapeCell } from "../../src/cli/output/spreadsheet-cells.ts";
import { tries } from "../support/effort.ts";

it("escapeCell makes no cell a formula, and unescapeCell restores every cell", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "\n", "a", "＝") }),
  );
  fc.assert(
    fc.property(text, (cell) => {
      const escaped = escapeCell(cell);
      expect(escaped).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(unescapeCell(escaped)).toBe(cell);
    }),
    { numRuns: tries(2000) },
  );
});

it("escapeCell leaves harmless cells unchanged", () => {
  for (const cell of ["", "Ada", "'quoted", "1-2", "a=b"]) expect(escapeCell(cell)).toBe(cell);
  expect(escapeCell("=1+1")).toBe("'=1+1");
  expect(escapeCell("'=1+1")).toBe("''=1+1");
  expect(unescapeCell("'Ada")).toBe("'Ada");
});
