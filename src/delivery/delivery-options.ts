import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import type { Resolve } from "./ssrf/guarded-lookup.ts";

/** The parts of the engine take those that they need. */
export interface DeliveryOptions {
  readonly database: Database;
  readonly settings: () => Promise<Settings>;
  /** A pino logger fits. */
  readonly log: Readonly<Record<"info" | "error", (fields: object, message: string) => void>>;
  /** User-Agent of callbacks: `wcs/<version>`. */
  readonly userAgent: string;
  /** Returns the URL of the service, for links in mail when the setting `base_url` is not set. */
  readonly servedAt?: (() => string | undefined) | undefined;
  /** Unix milliseconds, as `Date.now`. */
  readonly clock: () => number;
  /** Returns a number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly resolve?: Resolve | undefined;
  /** Milliseconds between two checks for deliveries that were not announced or that became due. */
  readonly pollInterval: number;
}
