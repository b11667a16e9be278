import { z } from "zod";
import {
  component,
  cursorInput,
  cursorList,
  formatError,
  id,
  idOf,
  line,
  periodEnd,
  time,
  unixTime,
} from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

const entry = component("AuditEntry", () => ({
  id: z.int(),
  created_at: unixTime(),
  actor: z.object({ id: idOf("users"), name: z.string(), url: z.string() }).nullable(),
  operation: z.string(),
  path: z.string(),
  fields: z.array(z.string()),
  address: z.string().nullable(),
  outcome: z.enum(["done", "failed"]),
}));

export const audit = operationGroup("audit", {
  list: operation("GET", "/audit", "List changes and sign-ins, newest first", {
    description:
      "Each successful change has one entry, even if it changed no value: who made it, from which address, on which path, and the names of the given fields, never their values. Imports and users.deactivateMissing have a further entry, without fields, for each user or unit that they changed or deactivated; those that an import creates have no entry of their own, only that of the import, which has the time of their creation. Sign-ins (auth.authenticate) are recorded also when they fail, with the user of the account if there is one. Entries are kept for the number of days in the setting audit.days. Attempts refused by a rate limit, conversations, and what users mark for themselves are not recorded.",
    access: "administrator",
    input: () => ({
      actor: id("users").optional().describe("Only changes that this user made"),
      operation: line(100, 1)
        .optional()
        .meta({
          placeholder: "operation",
          description: "Only this operation, like users.update, or all of a group, like users.*",
        }),
      path: line(255, 1)
        .check(z.regex(/^\//, formatError("must begin with a slash, like /users/12")))
        .optional()
        .describe("Only changes of this path and of those below it: /users/12 includes /users/12/units/3"),
      user: id("users").optional().describe("Only changes made to this user: of the path /users/<id>"),
      unit: id("units").optional().describe("Only changes made to this unit: of the path /units/<id>"),
      since: time().optional().describe("Only changes at or after this time"),
      until: periodEnd().optional().describe("Only changes at or before this time"),
      ...cursorInput(),
    }),
    ...cursorList(entry),
  }),
});
