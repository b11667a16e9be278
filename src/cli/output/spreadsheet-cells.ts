/** Matches cells that a spreadsheet would evaluate, also after apostrophes added by `escapeCell`. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escapedFormula = /^'+[=+\-@\t\r\n＝＋－＠]/;

/** Escapes a cell so that a spreadsheet shows it as text. csv-stringify would not escape apostrophes that are there. */
export function escapeCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

export function unescapeCell(cell: string): string {
  return escapedFormula.test(cell) ? cell.slice(1) : cell;
}
