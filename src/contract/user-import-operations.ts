import { z } from "zod";
import { id } from "./common-schemas.ts";
import { operation } from "./operation.ts";
import { importResult, importRows, maxRemovals, providerName, removalResult, userRow } from "./user-schemas.ts";

export const userImportOperations = {
  import: operation("POST", "/users/import", "Create or update many users", {
    description:
      "Rows are matched by reference, or else by e-mail address; with key, by that field only. Valid rows are imported in one transaction; invalid rows are skipped, and the response has their issues. A row can take an e-mail address that another row of the request gives up. A user who moves to the unit of a further membership loses that one: the first membership takes its place. Rows may have any language; other operations accept only languages of the instance. Updating a user needs every ability that the user has, in every unit where the user has it; only administrators can move themselves or give themselves user types, and nobody can change their own provider. Rows that would leave no active administrator who can sign in are refused as a whole (409).",
    access: { ability: "user" },
    input: () => ({
      rows: importRows(userRow),
      key: z
        .enum(["reference", "email"])
        .optional()
        .describe("Field that identifies the user of a row (default reference, else email)"),
      create_user_types: z.boolean().default(false).describe("Create missing user types"),
    }),
    output: importResult,
    knownBy: "results",
    bodyLimit: 4_194_304,
    transaction: "own",
  }),
  deactivateMissing: operation(
    "POST",
    "/users/deactivate-missing",
    "Deactivate the users of a provider or unit who are not in a list",
    {
      description:
        "Ends a synchronization with a directory: deactivates the active users of the scope whose IDs are not present, all or none. Keeps administrators, service accounts and the caller. Refused with conflict when more users would be deactivated than max_removals allows. Needs the ability user over each of them, and every ability that they have.",
      access: { ability: "user", at: [{ unit: "unit" }] },
      input: () => ({
        provider: providerName().optional().describe("Scope: users of this provider"),
        unit: id("units")
          .optional()
          .describe("Scope: users whose first unit is this one or below it; give a provider or a unit"),
        present: z.array(id("users")).max(500_000).describe("IDs of the users to keep, up to 500,000"),
        max_removals: maxRemovals(),
      }),
      output: removalResult,
      knownBy: "active",
      bodyLimit: 4_194_304,
      valueLimit: 500_010,
    },
  ),
};
