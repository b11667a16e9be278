import type { users as contract } from "../../contract/users.ts";
import { membershipIssues } from "../directory/memberships.ts";
import { imageHandlers } from "../files/owner-image.ts";
import type { Checks, Handlers } from "../pipeline/context.ts";
import { memberships } from "./change-memberships.ts";
import { newUserIssues, userChangeHandlers } from "./change-user.ts";
import { birthdays } from "./list-birthdays.ts";
import { languageIssues } from "./offered-languages.ts";
import { userFilterIssues, userReadHandlers } from "./read-users.ts";

const avatar = imageHandlers("user");

export const users: Handlers<typeof contract> = {
  ...userReadHandlers,
  ...userChangeHandlers,
  avatarSet: avatar.set,
  avatarDelete: avatar.delete,
  ...memberships,
  search: async (ctx, input) => (await import("./search-users.ts")).searchUsers(ctx, input),
  birthdays,
  password: async (ctx, input) => (await import("./set-password.ts")).password(ctx, input),
  twoFactorReset: async (ctx, input) => (await import("./reset-two-factor.ts")).twoFactorReset(ctx, input),
  exportData: async (ctx, input) => (await import("./export-data.ts")).exportData(ctx, input),
  import: async (ctx, input) => (await import("./import-users.ts")).importUserRows(ctx, input),
  deactivateMissing: async (ctx, input) => (await import("./deactivate-missing.ts")).deactivateMissing(ctx, input),
};

export const checks: Checks<typeof contract> = {
  async list(ctx, filter, isWrong) {
    const { below, ...issues } = await userFilterIssues(ctx, filter);
    return below === undefined || isWrong("unit") ? issues : { ...issues, below };
  },
  create: newUserIssues,
  update: languageIssues,
  password: async (ctx, input) => (await import("./set-password.ts")).passwordIssues(ctx, input),
  async deactivateMissing(_ctx, scope, isWrong) {
    if (isWrong("unit") || isWrong("provider")) return {};
    return (await import("./deactivate-missing.ts")).scopeIssues(scope);
  },
  membershipAdd: membershipIssues,
  membershipSet: (ctx, { from, ...fields }) => membershipIssues(ctx, { unit: from, ...fields }),
};
