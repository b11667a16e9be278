import { z } from "zod";
import { component, idOf, multiline, name, unixTime } from "./common-schemas.ts";
import { file } from "./file-schemas.ts";
import { shortUser } from "./user-schemas.ts";

export const groupRoles = ["member", "administrator"] as const;
export const privacies = ["public", "private"] as const;

export const group = component("Group", () => ({
  content_type: z.literal("group"),
  id: idOf("groups"),
  name: z.string(),
  description: z.string(),
  privacy: z.enum(privacies),
  member_count: z.int().describe("Number of members, including deactivated users"),
  role: z.enum(groupRoles).nullable().describe("Your role; null if you are not a member"),
  image: file().nullable(),
  permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
  author: shortUser().describe("Creator of the group"),
  created_at: unixTime(),
  updated_at: unixTime(),
  url: z.string(),
}));

export const groupMember = component("GroupMember", () => ({
  content_type: z.literal("group_member"),
  user: shortUser(),
  role: z.enum(groupRoles),
  joined_at: unixTime(),
}));

export const groupName = () => name().describe("Name of the group");
export const groupDescription = () => multiline(10_000).describe("Description of the group");
export const privacy = () =>
  z
    .enum(privacies)
    .meta({
      description: "Who can see the group",
      values: { public: "everyone, who can also join it", private: "members only" },
    });
