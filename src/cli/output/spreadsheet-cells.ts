/** Matches cells that a spreadsheet would evaluate, also after apostrophes added by `escapeCell`. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escapedFormula = /^'+[=+\-@\t\r\n＝＋－＠]/;

/**
 * Escapes a cell so that a spreadsheet shows it as text. The option `escape_formulas` of csv-stringify does not escape
 * apostrophes that are already there, so that cells would change when they are read again.
 */
export function escapeCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Reverses `escapeCell`. */
export function unescapeCell(cell: string): string {
  return escapedFormula.test(cell) ? cell.slice(1) : cell;
}
