import { UsageError } from "../errors/cli-errors.ts";
import type { Context } from "../kit/command-spec.ts";

/** The values of `--for`, with the IDs of their mute rules. */
const periods: Readonly<Record<string, number>> = { always: 1, "1h": 2, "8h": 3, "1w": 4 };
const names = Object.keys(periods);

/** Presentation that the commands which mute a post or a conversation share. */
export const muting = {
  hidden: ["mute_rule"],
  flags: [
    {
      flags: "--for <period>",
      field: "mute_rule",
      description:
        "Mute it always (until you unmute it), for 1h (an hour), 8h (eight hours) or 1w (a week; default always)",
      completes: names,
    },
  ],
  complete(input: Record<string, unknown>, { for: period = "always" }: Context["flags"]) {
    const mute_rule = periods[String(period)];
    if (mute_rule === undefined) throw new UsageError(`--for must be one of ${names.join(", ")}`);
    return { ...input, mute_rule };
  },
} as const;
