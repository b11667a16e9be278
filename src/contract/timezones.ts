import { z } from "zod";
import { component } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

const timeZone = component("TimeZone", () => ({
  name: z.string(),
  offset: z.int().meta({ format: "duration", description: "Offset east of UTC" }),
}));

export const timezones = operationGroup("timezones", {
  list: operation("GET", "/timezones", "List IANA time zones with their current offset from UTC", {
    access: "signed_in",
    output: () =>
      z.object({
        data: z.array(timeZone()),
        instance: z.string().describe("Time zone of the instance, used for all-day and recurring events"),
      }),
    list: { items: "data" },
  }),
});
