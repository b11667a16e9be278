import { z } from "zod";
import { nothing } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const timezones = operationGroup("timezones", {
  list: operation({
    method: "GET",
    path: "/timezones",
    summary: "Time zones (IANA) with their present offset from UTC",
    access: "signed_in",
    input: nothing,
    output: () =>
      z.object({
        data: z.array(
          z
            .object({ name: z.string(), offset: z.int().meta({ format: "duration", description: "East of UTC" }) })
            .meta({ id: "TimeZone" }),
        ),
        instance: z
          .string()
          .meta({ description: "The one of the instance, in which whole days and recurrence are meant" }),
      }),
    status: 200,
    list: { items: "data" },
  }),
});
