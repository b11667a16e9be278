import { z } from "zod";
import {
  abilityFlags,
  component,
  created,
  cursorInput,
  cursorList,
  id,
  idOf,
  name,
  nullable,
  reference,
} from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

const userType = component("UserType", () => ({
  content_type: z.literal("usertype"),
  id: idOf("usertypes"),
  name: z.string(),
  reference: z.string().nullable(),
  abilities: abilityFlags().required(),
  url: z.string(),
}));

/** CSV files separate user types by semicolons, so a name cannot contain one. */
const typeName = () =>
  name()
    .refine((value) => !value.includes(";"), "must not contain a semicolon")
    .describe("Name of the user type");

export const usertypes = operationGroup("usertypes", {
  list: operation("GET", "/usertypes", "List user types", {
    access: "signed_in",
    input: cursorInput,
    ...cursorList(userType),
  }),
  get: operation("GET", "/usertypes/{userType=id}", "Get a user type", {
    access: "signed_in",
    input: () => ({ id: id("usertypes") }),
    output: userType,
  }),
  reference: operation("GET", "/usertypes/reference/{reference}", "Get a user type by reference", {
    access: "signed_in",
    input: () => ({ reference: reference() }),
    output: userType,
  }),
  create: operation("POST", "/usertypes", "Create a user type", {
    description: "You can grant only abilities that you have yourself.",
    access: { ability: "usertypes" },
    input: () => ({
      name: typeName(),
      reference: nullable(reference()),
      abilities: abilityFlags().optional().describe("Abilities to grant or remove"),
    }),
    ...created(userType, "/usertypes/{id}"),
  }),
  update: operation("PATCH", "/usertypes/{userType=id}", "Update a user type", {
    description:
      "Only the given fields change. When abilities change, user.update is reported for each holder whose own abilities change; updated_at of holders stays. Any change, also of the name or reference, needs usertypes and every ability that the user type has or gets, in every unit where somebody holds it.",
    access: { ability: "usertypes" },
    input: () => ({
      id: id("usertypes"),
      name: typeName().optional(),
      reference: nullable(reference()),
      abilities: abilityFlags().optional().describe("Abilities to grant or remove"),
    }),
    output: userType,
    errors: ["conflict"],
  }),
  delete: operation("DELETE", "/usertypes/{userType=id}", "Delete a user type that nobody holds", {
    description: "Needs every ability that the user type has.",
    access: { ability: "usertypes" },
    input: () => ({ id: id("usertypes") }),
    errors: ["conflict"],
  }),
});
