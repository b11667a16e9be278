import { z } from "zod";
import { abilityFlags, cursorInput, cursorPage, id, idOf, line, noContent, reference } from "./common-schemas.ts";
import { once, operation, operationGroup } from "./operation.ts";

const userType = once(() =>
  z
    .object({
      content_type: z.literal("usertype"),
      id: idOf("usertypes"),
      name: z.string(),
      reference: z.string().nullable(),
      abilities: abilityFlags().required(),
      url: z.string(),
    })
    .meta({ id: "UserType" }),
);

/** CSV files separate user types by semicolons, so a name cannot contain one. */
const typeName = () => line(255, 1).refine((value) => !value.includes(";"), "must not contain a semicolon");

export const usertypes = operationGroup("usertypes", {
  list: operation({
    method: "GET",
    path: "/usertypes",
    bare: true,
    summary: "User types",
    access: "signed_in",
    input: () => z.strictObject(cursorInput()),
    output: () => cursorPage(userType()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  get: operation({
    method: "GET",
    path: "/usertypes/{id}",
    bare: true,
    summary: "One user type",
    access: "signed_in",
    input: () => z.strictObject({ id: id("usertypes") }),
    output: userType,
    status: 200,
  }),
  reference: operation({
    method: "GET",
    path: "/usertypes/reference/{reference}",
    bare: true,
    summary: "The user type with a reference",
    access: "signed_in",
    input: () => z.strictObject({ reference: reference() }),
    output: userType,
    status: 200,
  }),
  create: operation({
    method: "POST",
    path: "/usertypes",
    bare: true,
    summary: "Create a user type",
    description: "Abilities that one does not have oneself cannot be granted.",
    access: { ability: "usertypes" },
    input: () =>
      z.strictObject({
        name: typeName(),
        reference: reference().nullable().optional(),
        abilities: abilityFlags().optional(),
      }),
    output: userType,
    status: 201,
    location: "/usertypes/{id}",
    errors: ["conflict"],
  }),
  update: operation({
    method: "PATCH",
    path: "/usertypes/{id}",
    bare: true,
    summary: "Change a user type",
    description:
      "Only what is named changes. Takes every ability that the user type has or is to have, wherever somebody holds it, also for a new name or reference.",
    access: { ability: "usertypes" },
    input: () =>
      z.strictObject({
        id: id("usertypes"),
        name: typeName().optional(),
        reference: reference().nullable().optional(),
        abilities: abilityFlags().optional(),
      }),
    output: userType,
    status: 200,
    errors: ["conflict"],
  }),
  delete: operation({
    method: "DELETE",
    path: "/usertypes/{id}",
    bare: true,
    summary: "Delete a user type that nobody holds",
    description: "Takes every ability that the user type has.",
    access: { ability: "usertypes" },
    input: () => z.strictObject({ id: id("usertypes") }),
    output: noContent,
    status: 204,
    errors: ["conflict"],
  }),
});
