import { muteRules } from "../../contract/mute-schemas.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Context } from "../kit/command-spec.ts";

/** The values of `--for`, in the order of the mute rules. */
const names = muteRules.map(({ seconds }) => (seconds === null ? "always" : periodOf(seconds)));

/** Returns a duration as in `8h`, in the largest unit that divides it. */
function periodOf(seconds: number): string {
  const weeks = seconds / 604_800;
  return Number.isInteger(weeks) ? `${weeks}w` : `${seconds / 3_600}h`;
}

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
    const mute_rule = muteRules[names.indexOf(String(period))]?.id;
    if (mute_rule === undefined) throw new UsageError(`--for must be one of ${names.join(", ")}`);
    return { ...input, mute_rule };
  },
} as const;
