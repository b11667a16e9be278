import { z } from "zod";
import { component, wholeList } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const languages = operationGroup("languages", {
  list: operation("GET", "/languages", "List the languages of the instance", {
    access: "signed_in",
    ...wholeList(component("Language", () => ({ code: z.string(), name: z.string() }))),
  }),
});
