/** Returns milliseconds since some moment. The first use of `performance` would load 13 modules of Node, which takes 1 % of a small command. */
export function monotonicTime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}
