import { z } from "zod";
import { nothing, wholeList } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const languages = operationGroup("languages", {
  list: operation("GET", "/languages", "List the languages of the instance", {
    access: "signed_in",
    input: nothing,
    ...wholeList(() => z.object({ code: z.string(), name: z.string() }).meta({ id: "Language" })),
  }),
});
