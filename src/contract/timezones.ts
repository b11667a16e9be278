import { z } from "zod";
import { nothing } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const timezones = operationGroup("timezones", {
  list: operation("GET", "/timezones", "List IANA time zones with their current offset from UTC", {
    access: "signed_in",
    input: nothing,
    output: () =>
      z.object({
        data: z.array(
          z
            .object({
              name: z.string(),
              offset: z.int().meta({ format: "duration", description: "Offset east of UTC" }),
            })
            .meta({ id: "TimeZone" }),
        ),
        instance: z.string().describe("Time zone of the instance, used for all-day and recurring events"),
      }),
    list: { items: "data" },
  }),
});
