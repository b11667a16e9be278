import { ServiceError } from "../../contract/errors.ts";
import type { users as contract } from "../../contract/users.ts";
import { updateRow } from "../../store/bulk.ts";
import { removeTwoFactor } from "../directory/end-access.ts";
import { markChanged } from "../directory/mark-changed.ts";
import {
  addMembership,
  findMembership,
  heldTypes,
  membershipIssues,
  moveMembership,
  noMembership,
  removeMembership,
  requireMembershipChange,
  setUserTypes,
} from "../directory/memberships.ts";
import { endServiceTokens } from "../directory/service-accounts.ts";
import { imageHandlers } from "../files/owner-image.ts";
import type { Checks, Handlers } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { queueNotices } from "../pipeline/queue-mail.ts";
import { newUserIssues, profileIssues, userChangeHandlers } from "./change-user.ts";
import { birthdays } from "./list-birthdays.ts";
import { oneUser, userFilterIssues, userReadHandlers } from "./read-users.ts";

const avatar = imageHandlers("user");

export const users: Handlers<typeof contract> = {
  ...userReadHandlers,
  ...userChangeHandlers,
  avatarSet: avatar.set,
  avatarDelete: avatar.delete,

  memberships: async (ctx, { user }) => ({ data: (await oneUser(ctx, user)).memberUnits }),

  async membershipAdd(ctx, { user, unit, userTypes, department }) {
    const gainsAbilities = await addMembership(ctx, { user, unit, userTypes, department });
    if (gainsAbilities) await endServiceTokens(ctx, user);
    await markChanged(ctx, "user", [user]);
    const { memberUnits } = await oneUser(ctx, user);
    // It was just added.
    return memberUnits.find((each) => each.unit.id === unit)!;
  },

  async membershipSet(ctx, { user, from, unit = from, userTypes, department, overwrite }) {
    const membership = await findMembership(ctx, user, from);
    if (membership === undefined) throw noMembership(user, from);
    const { id } = membership;
    const held = await heldTypes(ctx, id);
    const wanted = userTypes === undefined ? held : [...new Set(overwrite ? userTypes : [...held, ...userTypes])];
    const isUnchanged =
      unit === from &&
      (department === undefined || department === membership.department_id) &&
      wanted.length === held.length &&
      wanted.every((type) => held.includes(type));
    if (isUnchanged) return;
    requireNoIssues(await membershipIssues(ctx, { unit, userTypes: userTypes ?? [], department }));
    const before = { unit: from, userTypes: held };
    const after = { unit, userTypes: wanted };
    if (await requireMembershipChange(ctx, user, { before, after })) await endServiceTokens(ctx, user);
    if (unit !== from) await moveMembership(ctx, { id, user, from, to: unit });
    if (department !== undefined) await updateRow(ctx.db, "memberships", id, { department_id: department });
    if (userTypes !== undefined) await setUserTypes(ctx, id, wanted);
    await markChanged(ctx, "user", [user]);
  },

  async membershipRemove(ctx, { user, unit }) {
    await removeMembership(ctx, user, unit);
    await markChanged(ctx, "user", [user]);
  },

  search: async (ctx, input) => (await import("./search-users.ts")).searchUsers(ctx, input),
  birthdays,
  password: async (ctx, input) => (await import("./set-password.ts")).password(ctx, input),

  /** Users disable their own second factor with a password or a code, except with access to the database itself. */
  async twoFactorReset(ctx, { id }) {
    if (id === ctx.actor.id && ctx.token !== undefined)
      throw new ServiceError(
        "forbidden",
        "You cannot reset your own second factor; disable it with your password or a code (wcs auth 2fa disable).",
      );
    if (!(await removeTwoFactor(ctx, id))) return;
    await queueNotices(ctx, [id], "two_factor_off");
    await markChanged(ctx, "user", [id]);
  },

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
  update: profileIssues,
  password: async (ctx, input) => (await import("./set-password.ts")).passwordIssues(ctx, input),
  async deactivateMissing(_ctx, scope, isWrong) {
    if (isWrong("unit") || isWrong("provider")) return {};
    return (await import("./deactivate-missing.ts")).scopeIssues(scope);
  },
  membershipAdd: membershipIssues,
  membershipSet: (ctx, { from, ...fields }) => membershipIssues(ctx, { unit: from, ...fields }),
};
