/** True when the longer form of the suites runs: npm run test:full. */
export const isFull = process.env.WCS_TEST_FULL !== undefined;

/** Returns how often a property is tried: as often as given in the longer form of the suites, else a quarter of it. */
export const tries = (full: number): number => (isFull ? full : Math.ceil(full / 4));
