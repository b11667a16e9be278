/** What a spreadsheet takes for the beginning of a formula, also behind apostrophes that `escape` put there. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escapedFormula = /^'+[=+\-@\t\r\n＝＋－＠]/;

/** A cell of text that a spreadsheet shows as it is and does not compute. */
export function escapeCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text that `escapeCell` was given. */
export function unescapeCell(cell: string): string {
  return escapedFormula.test(cell) ? cell.slice(1) : cell;
}
