import { z } from "zod";
import { clearable, created, cursorInput, cursorList, id, line } from "./common-schemas.ts";
import { group, groupDescription, groupMember, groupName, groupRoles, privacies, privacy } from "./group-schemas.ts";
import { imageOperations } from "./image-operations.ts";
import { operation, operationGroup } from "./operation.ts";

const one = () => ({ id: id("groups") });
const member = () => ({ ...one(), user: id("users") });
const role = () => z.enum(groupRoles).describe("Role of the member; administrators manage the group");
const managers = "the group's administrators, administrators of the instance and users with the ability groups";

const image = imageOperations({
  owner: "group",
  noun: "image",
  rights: `Can be done by ${managers}.`,
  access: "signed_in",
});

export const groups = operationGroup("groups", {
  list: operation("GET", "/groups", "List groups", {
    description:
      "Groups are sorted by name. Lists public groups and groups that you are a member of; administrators and users with the ability groups see all.",
    access: "signed_in",
    input: () => ({
      name: line(255, 1).optional().describe("Only groups whose name begins with this text"),
      mine: z.boolean().optional().describe("Only groups that you are a member of; false: only other groups"),
      privacy: z.enum(privacies).optional().describe("Only groups with this privacy"),
      ...cursorInput(),
    }),
    ...cursorList(group),
  }),
  get: operation("GET", "/groups/{id}", "Get a group", { access: "signed_in", input: one, output: group }),
  create: operation("POST", "/groups", "Create a group", {
    description:
      "You become its first administrator. A private group is hidden from users who are not members, but its posts can also be read, shared and deleted by users whose ability news (calendar for event posts) reaches the unit that owns the post, even if they cannot see the group.",
    access: { ability: "groups" },
    input: () => ({
      name: groupName(),
      description: clearable(groupDescription()),
      privacy: privacy().default("public"),
    }),
    ...created(group, "/groups/{id}"),
  }),
  update: operation("PATCH", "/groups/{id}", "Update a group", {
    description: `Only the given fields change. Can be done by ${managers}.`,
    access: "signed_in",
    input: () => ({
      ...one(),
      name: groupName().optional(),
      description: clearable(groupDescription()),
      privacy: privacy().optional(),
    }),
    output: group,
  }),
  delete: operation("DELETE", "/groups/{id}", "Delete a group without posts", {
    description: `Can be done by ${managers}.`,
    access: "signed_in",
    input: one,
    errors: ["conflict"],
  }),
  imageSet: image.set,
  imageDelete: image.delete,
  members: operation("GET", "/groups/{id}/members", "List the members of a group", {
    description:
      "Members are sorted by user ID. Deactivated users stay members: they are listed and counted, with active false, so that administrators of the group can remove them.",
    access: "signed_in",
    input: () => ({ ...one(), role: role().optional().describe("Only members with this role"), ...cursorInput() }),
    ...cursorList(groupMember),
  }),
  memberAdd: operation("POST", "/groups/{id}/members", "Join a group, or add another user to it", {
    description: `Everyone can join a public group as a member. Anything else can be done by ${managers}. The first member of an empty group becomes its administrator.`,
    access: "signed_in",
    input: () => ({
      ...one(),
      user: id("users").optional().describe("User to add; a request without it adds yourself"),
      role: role().default("member"),
    }),
    output: groupMember,
    knownBy: "user",
    status: 201,
  }),
  memberSet: operation("PATCH", "/groups/{id}/members/{user}", "Change the role of a member", {
    description: `Can be done by ${managers}. The last active administrator of a group keeps this role; a deactivated user cannot get it.`,
    access: "signed_in",
    input: () => ({ ...member(), role: role() }),
    output: groupMember,
    knownBy: "user",
    errors: ["conflict"],
  }),
  memberRemove: operation("DELETE", "/groups/{id}/members/{user}", "Leave a group, or remove another user from it", {
    description: `Other users can be removed by ${managers}. The last active administrator can leave only when there are no other members.`,
    access: "signed_in",
    input: member,
    errors: ["conflict"],
  }),
});
