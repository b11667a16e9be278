import { z } from "zod";
import { component, wholeList } from "./common-schemas.ts";
import { muteRules } from "./mute-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

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
