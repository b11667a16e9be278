import { z } from "zod";

/** Maximum number of waiting requests of one user. */
export const mostWaits = 20;

/** Maximum time that an operation waits for new data. */
export const waitSeconds = (standard: number) =>
  z
    .int()
    .min(0)
    .max(60)
    .default(standard)
    .meta({
      format: "duration",
      description: `Maximum time to wait, 0 to 60; at most ${mostWaits} requests of one user can wait at the same time`,
    });
