import { z } from "zod";

/** Maximum number of requests of one user that wait at the same time. */
export const mostWaits = 20;

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
