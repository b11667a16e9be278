/** Quotes a path for a POSIX shell, for the commands in hints. */
export const quotePath = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
