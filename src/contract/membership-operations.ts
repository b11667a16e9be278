import { z } from "zod";
import { id, wholeList } from "./common-schemas.ts";
import { operation } from "./operation.ts";
import { departmentId, membership, userTypeIds } from "./user-schemas.ts";

const member = () => ({ user: id("users"), unit: id("units") });
const membershipTag = "User unit memberships";
const membershipRule =
  "Needs the ability user in the unit, even if the user is also a member of other units, and every ability that the membership grants.";
const endedTokens = "New abilities of a service account end its API tokens, which others may have created.";

export const membershipOperations = {
  memberships: operation("GET", "/users/{user}/units", "List a user's memberships", {
    tag: membershipTag,
    access: "signed_in",
    input: () => ({ user: id("users") }),
    ...wholeList(membership),
  }),
  membershipAdd: operation("POST", "/users/{user}/units", "Add a user to a unit", {
    tag: membershipTag,
    description: `${membershipRule} Only administrators can add themselves, because members can read everything that is published to the unit. ${endedTokens}`,
    access: { ability: "user", at: [{ member: "user" }, { unit: "unit" }] },
    input: () => ({ ...member(), userTypes: userTypeIds().optional(), department: departmentId().optional() }),
    output: membership,
    knownBy: "unit",
    status: 201,
  }),
  membershipSet: operation(
    "PATCH",
    "/users/{user}/units/{unit=from}",
    "Update a membership: user types, department or unit",
    {
      tag: membershipTag,
      description: `A new unit moves the membership there. User types replace the present ones, or are added to them when overwrite is off. Clearing the department removes it. ${membershipRule} A move needs these abilities in both units. Only administrators can move their own membership or add user types to it, even user types without abilities. ${endedTokens}`,
      access: { ability: "user", at: [{ member: "user" }, { unit: "from" }, { unit: "unit" }] },
      input: () => ({
        user: id("users"),
        from: id("units").describe("Unit of the membership"),
        unit: id("units").optional().describe("Unit to move to"),
        userTypes: userTypeIds().optional(),
        department: departmentId().nullish(),
        overwrite: z.boolean().default(true).describe("Replace the user types of the membership"),
      }),
      errors: ["conflict"],
    },
  ),
  membershipRemove: operation("DELETE", "/users/{user}/units/{unit}", "Remove a user from a unit", {
    tag: membershipTag,
    description: `The last membership of a user cannot be removed. ${membershipRule}`,
    access: { ability: "user", at: [{ member: "user" }, { unit: "unit" }] },
    input: member,
    errors: ["conflict"],
  }),
};
