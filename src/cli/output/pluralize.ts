/** Formats a count with its noun: `1 mail`, `3 mails`. */
export const pluralize = (number: number, one: string): string => `${number} ${one}${number === 1 ? "" : "s"}`;
