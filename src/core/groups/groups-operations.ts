import type { groups as contract } from "../../contract/groups.ts";
import { imageHandlers } from "../files/owner-image.ts";
import type { Admission, Handlers } from "../pipeline/context.ts";
import { groupChangeHandlers } from "./change-group.ts";
import { groupMemberHandlers } from "./group-members.ts";
import { findOwnGroup, groupReadHandlers } from "./read-groups.ts";

const image = imageHandlers("group", findOwnGroup);

export const groups: Handlers<typeof contract> = {
  ...groupReadHandlers,
  ...groupChangeHandlers,
  ...groupMemberHandlers,
  imageSet: image.set,
  imageDelete: image.delete,
};

export const admission: Admission<typeof contract> = {
  imageSet: async (ctx, { id }) => id !== undefined && findOwnGroup(ctx, id),
};
