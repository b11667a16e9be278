import { isFull } from "../support/effort.ts";

/** How often something is killed: a few times by default; the targets say 500, 200 and 100. */
export const kills = Number(process.env.WCS_KILLS ?? (isFull ? 6 : 2));

/** How many deliveries several workers share: some by default; the targets say 4,000. */
export const jobs = Number(process.env.WCS_JOBS ?? (isFull ? 300 : 100));

/** Milliseconds that a test with so many kills may take. */
export const timeFor = (kills: number): number => 60_000 + kills * 10_000;
