import { z } from "zod";
import { multiline } from "./fields.ts";
import { once } from "./operation.ts";
import { shortUser } from "./user-forms.ts";

export const groupRoles = ["member", "administrator"] as const;
export const privacies = ["public", "private"] as const;

export const group = once(() =>
  z
    .object({
      content_type: z.literal("group"),
      id: z.int(),
      name: z.string(),
      description: z.string(),
      privacy: z.enum(privacies),
      member_count: z.int(),
      role: z.enum(groupRoles).nullable().meta({ description: "Yours; null when you are no member" }),
      image: z.null(),
      permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
      author: shortUser().meta({ description: "Who made it" }),
      created_at: z.int(),
      updated_at: z.int(),
      url: z.string(),
    })
    .meta({ id: "Group" }),
);

export const groupMember = once(() =>
  z
    .object({
      content_type: z.literal("group_member"),
      user: shortUser(),
      role: z.enum(groupRoles),
      joined_at: z.int(),
    })
    .meta({ id: "GroupMember" }),
);

export const groupDescription = () => multiline(10_000);
export const privacy = () =>
  z.enum(privacies).meta({ description: "public: all see it and may join; private: only members know of it" });
