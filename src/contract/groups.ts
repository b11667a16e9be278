import { z } from "zod";
import { cursorInput, cursorPage, id, name, noContent } from "./common-schemas.ts";
import { group, groupDescription, groupMember, groupRoles, privacies, privacy } from "./group-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

const one = () => ({ id: id("groups") });
const member = () => ({ ...one(), user: id("users") });
const role = () => z.enum(groupRoles);

export const groups = operationGroup("groups", {
  list: operation({
    method: "GET",
    path: "/groups",
    summary: "Groups that you may see, by name",
    description:
      "Public ones and those that you are a member of; administrators and holders of the ability groups see all.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        name: name().optional().meta({ description: "Only names that begin so" }),
        mine: z.boolean().optional().meta({ description: "Only those that you are a member of, or only others" }),
        privacy: z.enum(privacies).optional(),
        ...cursorInput(),
      }),
    output: () => cursorPage(group()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  get: operation({
    method: "GET",
    path: "/groups/{id}",
    summary: "One group",
    access: "signed_in",
    input: () => z.strictObject(one()),
    output: group,
    status: 200,
  }),
  create: operation({
    method: "POST",
    path: "/groups",
    summary: "Make a group, and be its first administrator",
    access: { ability: "groups" },
    input: () =>
      z.strictObject({
        name: name(),
        description: groupDescription().optional(),
        privacy: privacy().default("public"),
      }),
    output: group,
    status: 201,
    location: "/groups/{id}",
  }),
  update: operation({
    method: "PATCH",
    path: "/groups/{id}",
    summary: "Change a group",
    description: "For its administrators, administrators of the instance, and holders of the ability groups.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        ...one(),
        name: name().optional(),
        description: groupDescription().optional(),
        privacy: privacy().optional(),
      }),
    output: group,
    status: 200,
    errors: ["forbidden"],
  }),
  delete: operation({
    method: "DELETE",
    path: "/groups/{id}",
    summary: "Delete a group that has no posts",
    description: "For those who may change it.",
    access: "signed_in",
    input: () => z.strictObject(one()),
    output: noContent,
    status: 204,
    errors: ["forbidden", "conflict"],
  }),
  members: operation({
    method: "GET",
    path: "/groups/{id}/members",
    summary: "Members of a group, by user ID",
    access: "signed_in",
    input: () => z.strictObject({ ...one(), role: role().optional(), ...cursorInput() }),
    output: () => cursorPage(groupMember()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  memberAdd: operation({
    method: "POST",
    path: "/groups/{id}/members",
    summary: "Join a public group, or add somebody to a group",
    description: "Anybody may join a public group as a member. All else is for those who may change the group.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        ...one(),
        user: id("users").optional().meta({ description: "Default: yourself" }),
        role: role().default("member"),
      }),
    output: groupMember,
    status: 201,
    errors: ["forbidden"],
  }),
  memberSet: operation({
    method: "PATCH",
    path: "/groups/{id}/members/{user}",
    summary: "Change the role of a member",
    description: "For those who may change the group. Its last administrator stays one.",
    access: "signed_in",
    input: () => z.strictObject({ ...member(), role: role() }),
    output: groupMember,
    status: 200,
    errors: ["forbidden", "conflict"],
  }),
  memberRemove: operation({
    method: "DELETE",
    path: "/groups/{id}/members/{user}",
    summary: "Leave a group, or remove somebody from it",
    description:
      "Others are removed by those who may change the group. Its last administrator stays while there are other members.",
    access: "signed_in",
    input: () => z.strictObject(member()),
    output: noContent,
    status: 204,
    errors: ["forbidden", "conflict"],
  }),
});
