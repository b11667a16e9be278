import { expect, it } from "vitest";
import { formatRetryAfter, parseRetryAfter } from "../../src/contract/retry-after.ts";

const now = Date.parse("2026-05-01T10:00:00Z");

it.each([
  ["120", 120_000],
  [" 5 ", 5000],
  ["0", 0],
  ["Fri, 01 May 2026 10:02:00 GMT", 120_000],
  ["Friday, 01-May-26 10:02:00 GMT", 120_000],
  ["Fri, 01 May 2026 09:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
  ["99999999999", undefined],
  [undefined, undefined],
])("Retry-After %j is %j ms", (header, milliseconds) => {
  expect(parseRetryAfter(header, now)).toBe(milliseconds);
});

it.each([
  [0, "1"],
  [0.2, "1"],
  [1, "1"],
  [1.2, "2"],
  [900, "900"],
])("%j seconds are written as %j", (seconds, header) => {
  expect(formatRetryAfter(seconds)).toBe(header);
  expect(parseRetryAfter(formatRetryAfter(seconds), now)).toBeGreaterThanOrEqual(seconds * 1000);
});
