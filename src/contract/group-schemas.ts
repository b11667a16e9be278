import { z } from "zod";
import { idOf, multiline, unixTime } from "./common-schemas.ts";
import { once } from "./operation.ts";
import { shortUser } from "./user-schemas.ts";

export const groupRoles = ["member", "administrator"] as const;
export const privacies = ["public", "private"] as const;

export const group = once(() =>
  z
    .object({
      content_type: z.literal("group"),
      id: idOf("groups"),
      name: z.string(),
      description: z.string(),
      privacy: z.enum(privacies),
      member_count: z.int(),
      role: z.enum(groupRoles).nullable().meta({ description: "Yours; null when you are no member" }),
      image: z.null(),
      permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
      author: shortUser().meta({ description: "Who made it" }),
      created_at: unixTime(),
      updated_at: unixTime(),
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
      joined_at: unixTime(),
    })
    .meta({ id: "GroupMember" }),
);

export const groupDescription = () => multiline(10_000);
export const privacy = () =>
  z.enum(privacies).meta({ values: { public: "all see it and may join", private: "only members can see it" } });
