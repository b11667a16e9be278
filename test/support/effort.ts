/** True when the longer form of the suites runs: npm run test:full. */
export const isFull = process.env.WCS_TEST_FULL !== undefined;

/** Factor of the number of tries. WCS_TRIES sets it, for a search for rare failures. */
const factor = Number(process.env.WCS_TRIES ?? (isFull ? 1 : 0.1));

/** Returns how often a property is tried: as often as given in the longer form of the suites, else a tenth of it. */
export const tries = (full: number): number => Math.ceil(full * factor);
