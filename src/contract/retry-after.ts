/** Parses a Retry-After header (RFC 9110, section 10.2.3), seconds or a date, and returns milliseconds. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/** Formats a Retry-After header: whole seconds, at least one. */
export const formatRetryAfter = (seconds: number): string => String(Math.max(1, Math.ceil(seconds)));
