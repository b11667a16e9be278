/**
 * Matches the places of a cell where a spreadsheet would see a formula, also after apostrophes added by `escapeCell`: its beginning and,
 * because some spreadsheets separate cells by semicolons, after these.
 */
const formulas = /(?<=^|;)(?='*[=+\-@\t\r\n＝＋－＠])/g;
const escapedFormulas = /(?<=^|;)'(?='*[=+\-@\t\r\n＝＋－＠])/g;

/** Escapes a cell so that a spreadsheet shows it as text. csv-stringify would not escape apostrophes that are there. */
export const escapeCell = (text: string): string => text.replace(formulas, "'");

export const unescapeCell = (cell: string): string => cell.replace(escapedFormulas, "");
