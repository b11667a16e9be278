/** So many of them, in words: `1 mail`, `3 mails`. */
export const counted = (number: number, one: string): string => `${number} ${one}${number === 1 ? "" : "s"}`;
