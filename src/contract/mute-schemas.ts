import { z } from "zod";
import { once } from "./once.ts";

/** The rules for muting posts and conversations; `seconds` counts from when a rule is set. */
export const muteRules = [
  { id: 1, name: "always", seconds: null },
  { id: 2, name: "for an hour", seconds: 3_600 },
  { id: 3, name: "for eight hours", seconds: 28_800 },
  { id: 4, name: "for a week", seconds: 604_800 },
] as const;

const rule = once(() => z.int().min(1).max(muteRules.length));
const explanation = muteRules.map(({ id, name }) => `${id} (${name})`).join(", ");

export const muteRule = () => rule().meta({ placeholder: "rule", description: `ID of your mute rule: ${explanation}` });

export const shownMuteRule = () =>
  z.int().nullable().describe("ID of your mute rule, see /muterules; null when you did not set one, and after its end");
