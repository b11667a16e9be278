import { z } from "zod";

/** Requests of one user that can wait at the same time. */
export const mostWaits = 20;

/** How long an operation waits when there is nothing yet. */
export const waitSeconds = (standard: number) =>
  z
    .int()
    .min(0)
    .max(60)
    .default(standard)
    .meta({ description: `Seconds; at most ${mostWaits} requests of one user can wait at the same time` });
