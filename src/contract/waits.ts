import { z } from "zod";

/** Maximum number of requests of one user that wait at the same time. */
export const maxWaits = 20;

export const waitSeconds = (defaultSeconds: number) =>
  z
    .int()
    .min(0)
    .max(60)
    .default(defaultSeconds)
    .meta({
      format: "duration",
      description: `Maximum time to wait, 0 to 60; at most ${maxWaits} requests of one user can wait at the same time`,
    });
