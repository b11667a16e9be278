import type { users as contract } from "../../contract/users.ts";
import { updateRow } from "../../store/bulk.ts";
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
import { loadMemberships } from "../directory/present-users.ts";
import { endServiceTokens } from "../directory/service-accounts.ts";
import type { Handlers } from "../pipeline/context.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { oneUser } from "./read-users.ts";

export const memberships = {
  memberships: async (ctx, { user }) => ({ data: (await oneUser(ctx, user)).memberUnits }),

  async membershipAdd(ctx, { user, unit, userTypes, department }) {
    const gainsAbilities = await addMembership(ctx, { user, unit, userTypes, department });
    if (gainsAbilities) await endServiceTokens(ctx, user);
    await markChanged(ctx, "user", [user]);
    const all = await loadMemberships(ctx, user);
    const added = all.find((each) => each.shown.unit.id === unit);
    if (added === undefined) throw noMembership(user, unit);
    return added.shown;
  },

  async membershipSet(ctx, { user, from, unit = from, userTypes, department, overwrite }) {
    const membership = await findMembership(ctx, user, from);
    if (membership === undefined) throw noMembership(user, from);
    const { id } = membership;
    const held = await heldTypes(ctx, id);
    const wanted = userTypes === undefined ? held : [...new Set(overwrite ? userTypes : [...held, ...userTypes])];
    const same =
      unit === from &&
      (department === undefined || department === membership.department_id) &&
      wanted.length === held.length &&
      wanted.every((type) => held.includes(type));
    if (same) return;
    refuse(await membershipIssues(ctx, { unit, userTypes: userTypes ?? [], department }));
    const before = { unit: from, userTypes: held };
    const after = { unit, userTypes: wanted };
    if (await requireMembershipChange(ctx, user, { before, after })) await endServiceTokens(ctx, user);
    if (unit !== from) await moveMembership(ctx, { id, user, from, to: unit });
    if (department !== undefined) {
      await updateRow(ctx.db, "memberships", id, { department_id: department });
    }
    if (userTypes !== undefined) await setUserTypes(ctx, id, wanted);
    await markChanged(ctx, "user", [user]);
  },

  async membershipRemove(ctx, { user, unit }) {
    await removeMembership(ctx, user, unit);
    await markChanged(ctx, "user", [user]);
  },
} satisfies Partial<Handlers<typeof contract>>;
