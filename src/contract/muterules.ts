import { z } from "zod";
import { component, wholeList } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

/** The rules for muting posts and conversations; `seconds` counts from when a rule is set. */
export const muteRules = [
  { id: 1, name: "always", seconds: null },
  { id: 2, name: "for an hour", seconds: 3_600 },
  { id: 3, name: "for eight hours", seconds: 28_800 },
  { id: 4, name: "for a week", seconds: 604_800 },
] as const;

const explanation = muteRules.map(({ id, name }) => `${id} (${name})`).join(", ");

export const muteRule = () =>
  z
    .int()
    .min(1)
    .max(muteRules.length)
    .meta({ placeholder: "rule", description: `ID of your mute rule: ${explanation}` });

export const shownMuteRule = () =>
  z.int().nullable().describe("ID of your mute rule, see /muterules; null when you did not set one, and after its end");

export const muterules = operationGroup("muterules", {
  list: operation("GET", "/muterules", "List the rules for muting posts and conversations", {
    description: `The rules are the same on every instance: ${muteRules.map(({ id, name }) => `${id} ${name}`).join(", ")}.`,
    access: "signed_in",
    ...wholeList(
      component("MuteRule", () => ({
        id: z.int(),
        name: z.string(),
        seconds: z
          .int()
          .nullable()
          .meta({ format: "duration", description: "Duration from when it is set; null without an end" }),
      })),
    ),
  }),
});
