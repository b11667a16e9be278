/** Formats a count with its noun: `1 mail`, `3 mails`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Joins texts: `a, b and c`. */
export const listAll = (texts: readonly string[], word: "and" | "or" = "and"): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;

/** Joins the first `max` texts and counts the rest: `a, b and 3 more`. */
export const listFirst = (texts: readonly (string | number)[], max: number): string =>
  texts.slice(0, max).join(", ") + (texts.length > max ? ` and ${texts.length - max} more` : "");
