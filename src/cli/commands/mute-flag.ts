import { muteRules } from "../../contract/muterules.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Context } from "../kit/command-spec.ts";

/** The values of the flags, in the order of the mute rules. */
const periods = muteRules.map(({ seconds }) => (seconds === null ? "always" : periodOf(seconds)));

/** Returns a duration as in `8h`, in the largest unit that divides it. */
function periodOf(seconds: number): string {
  const weeks = seconds / 604_800;
  return Number.isInteger(weeks) ? `${weeks}w` : `${seconds / 3_600}h`;
}

function ruleOf(text: string, flag: string): number {
  const rule = muteRules.find(({ id }, at) => text === periods[at] || text === `${id}`);
  if (rule === undefined) throw new UsageError(`${flag} must be one of ${periods.join(", ")}, not '${text}'`);
  return rule.id;
}

/** Returns the presentation of a command whose flag `--name` takes a period. `note` ends the description of the flag. */
const presentation = (name: string, note: string, periodIn: (flags: Context["flags"]) => unknown) => ({
  hidden: ["mute_rule"] as const,
  flags: [
    {
      flags: `--${name} <period>`,
      field: "mute_rule" as const,
      description: `Mute it always (until you unmute it), for 1h (an hour), 8h (eight hours) or 1w (a week${note})`,
      completes: periods,
    },
  ],
  complete(input: Record<string, unknown>, flags: Context["flags"]) {
    const period = periodIn(flags);
    return period === undefined ? input : { ...input, mute_rule: ruleOf(String(period), `--${name}`) };
  },
});

/** `--mute-rule` of a command that changes more than the mute rule. */
export const muteRuleFlag = presentation("mute-rule", "", ({ muteRule }) => muteRule);

/** Presentation that the commands which mute a post or a conversation share. */
export const muting = presentation("for", "; default always", (flags) => flags.for ?? "always");
