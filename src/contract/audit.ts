import { z } from "zod";
import { cursorInput, cursorPage, id, idOf, line, unixTime } from "./common-schemas.ts";
import { once, operation, operationGroup } from "./operation.ts";

const entry = once(() =>
  z
    .object({
      id: z.int(),
      created_at: unixTime(),
      actor: z.object({ id: idOf("users"), name: z.string(), url: z.string() }).nullable(),
      operation: z.string(),
      path: z.string(),
      fields: z.array(z.string()),
      address: z.string().nullable(),
      outcome: z.enum(["done", "failed"]),
    })
    .meta({ id: "AuditEntry" }),
);

export const audit = operationGroup("audit", {
  list: operation({
    method: "GET",
    path: "/audit",
    summary: "Who changed what and who signed in, the newest first",
    description:
      "One entry for each change that was carried out, even if all was so already, written with it: by whom, from which address, of what, and which fields were given, never what they held. Of sign-ins (auth.authenticate) also those that failed, with the user whose account it was, if there is one; they are kept for the days of the setting audit.days, and attempts that a rate limit refused are not recorded. Conversations, and what users mark for themselves, are nobody else's business.",
    access: "administrator",
    input: () =>
      z.strictObject({
        actor: id("users").optional().meta({ description: "Only changes by this user" }),
        operation: line(100, 1).optional().meta({ description: "Only changes of this kind, as in users.update" }),
        path: line(255, 1).optional().meta({ description: "Only changes of this, as in /users/12" }),
        since: unixTime().optional().meta({ description: "Only changes made since then" }),
        until: unixTime().optional().meta({ description: "Only changes made until then" }),
        ...cursorInput(),
      }),
    output: () => cursorPage(entry()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
});
