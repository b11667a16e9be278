import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import type { Cause } from "../../contract/issue-messages.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { users as contract } from "../../contract/users.ts";
import { findRow, insertRow, updateRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { appointInsteadOf } from "../directory/conversation-administrators.ts";
import { markChanged } from "../directory/mark-changed.ts";
import { insertMembership, membershipIssues, requireNewMembership } from "../directory/memberships.ts";
import { hashForAnother, passwordIssue } from "../directory/passwords.ts";
import { seesPrivateFields } from "../directory/present-users.ts";
import { endServiceTokens, requirePeople, serviceProvider } from "../directory/service-accounts.ts";
import { emailKey } from "../directory/text-keys.ts";
import { addSearchWords } from "../directory/user-words.ts";
import { type Actor, may } from "../pipeline/actor.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { hasIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { requireSignIn, requireUser } from "../pipeline/permissions.ts";
import { accountOfUser } from "../pipeline/rate-limits.ts";
import { deactivateUsers, requireOtherAdministrator, updateUsers } from "./change-account.ts";
import { oneUser } from "./read-users.ts";
import { newUserRow, type UserFields, userColumns } from "./user-columns.ts";

/** Returns the issue with a language that is not offered. Case does not matter, and pt covers pt-br. */
function languageIssue({ settings }: Ctx, language: string | null | undefined): Cause | undefined {
  const tag = language?.toLowerCase();
  if (tag === undefined || settings.languages.some((offered) => `${tag}-`.startsWith(`${offered.toLowerCase()}-`)))
    return undefined;
  return { code: "language_not_offered", params: { offered: settings.languages } };
}

type Stored = Partial<RowOf<"users", "language" | "birthday">>;

/** Returns the issue with a new date of birth that has not come yet in any time zone. */
export function birthdayIssue(
  { now }: Ctx,
  birthday: string | null | undefined,
  stored: Stored | undefined,
): Cause | undefined {
  const latest = new Date((now + maxAhead) * 1000).toISOString().slice(0, 10);
  return birthday && birthday > latest && birthday !== stored?.birthday ? { code: "future_date" } : undefined;
}

/** Seconds by which the clocks of the first time zone are ahead of UTC. */
const maxAhead = 50_400;

type ProfileChange = Partial<Pick<InputOf<typeof contract.update>, "id" | "language" | "birthday">>;

/** Returns the issues with a new language and birthday of a user, who may keep stored values that are no longer allowed. */
export async function profileIssues(ctx: Ctx, { id, language, birthday }: ProfileChange): Promise<FieldIssues> {
  const issuesBeside = (stored?: Stored): FieldIssues => {
    const inFuture = birthdayIssue(ctx, birthday, stored);
    const notOffered = stored?.language === language ? undefined : languageIssue(ctx, language);
    return { ...(inFuture && { birthday: [inFuture] }), ...(notOffered && { language: [notOffered] }) };
  };
  const issues = issuesBeside();
  if (id === undefined || !hasIssues(issues)) return issues;
  return issuesBeside(await findRow(ctx.db, "users", { id }, ["language", "birthday"]));
}

export const userChangeHandlers = {
  async create(ctx, input) {
    const { unit, userTypes, department, password, welcome, service, ...fields } = input;
    const { first_name, last_name } = fields;
    if (fields.admin) {
      requireAdministrator(ctx);
      requireSignIn(ctx, "make administrators");
    }
    if (password !== undefined) requireSignIn(ctx, "set passwords");
    requireNoIssues(await newUserIssues(ctx, input));
    const password_hash = password === undefined ? null : await hashForAnother(accountOfUser(ctx.actor.id), password);
    return ctx.transaction(async (tx) => {
      if (fields.admin) requireAdministrator(tx);
      await requireUntaken(tx, fields);
      const membership = { unit, userTypes, department };
      await requireNewMembership(tx, undefined, membership);
      const columns = { ...userColumns(fields), first_name, last_name, ...(service && { provider: serviceProvider }) };
      const row = { ...newUserRow(tx, columns, unit), password_hash };
      const id = await insertRow(tx.db, "users", row);
      await insertMembership(tx, id, membership);
      await addSearchWords(tx, { ...row, id });
      if (welcome) await (await import("./send-welcome.ts")).sendWelcome(tx, [id]);
      tx.changed("user.create", id);
      return oneUser(tx, id);
    });
  },

  async update(ctx, { id, ...fields }) {
    const [row] = await userRows(ctx.db, { id });
    requireUser(row, id);
    const isAdmin = row.admin === 1;
    if (fields.admin !== undefined && fields.admin !== isAdmin) requireAdministrator(ctx);
    if (!may(ctx.actor, "user", row.path)) requireOwnFields(fields);
    if (fields.admin !== undefined) requireSignIn(ctx, "grant or revoke administrator rights");
    if (fields.email !== undefined && fields.email !== row.email && isSignInAddress(ctx, row))
      requireSignIn(ctx, "change the e-mail address of its owner or of an administrator");
    if (fields.provider !== undefined && fields.provider !== row.provider && isAdmin)
      requireSignIn(ctx, "change the provider of an administrator");
    if (fields.admin === false && isAdmin) await requireOtherAdministrator(ctx, id);
    if (fields.email !== undefined) await requirePeople(ctx, [id], "email");
    if (fields.provider !== undefined) await requirePeople(ctx, [id], "provider");
    requireNoIssues(await profileIssues(ctx, { ...fields, id }));
    await requireUntaken(ctx, fields, id);
    const changes = listChangedColumns(row, userColumns(fields));
    if (Object.keys(changes).length === 0) return oneUser(ctx, id);
    // The change would end the session and could lock everybody out.
    if (changes.provider !== undefined && id === ctx.actor.id)
      throw new ServiceError("forbidden", "You cannot change your own provider; ask another administrator.");
    if (changes.provider !== undefined && row.provider === "local" && isAdmin) await requireOtherAdministrator(ctx, id);
    if (changes.admin === 1) await endServiceTokens(ctx, id);
    await updateUsers(ctx, [{ before: row, changes }]);
    ctx.changed("user.update", id);
    return oneUser(ctx, id);
  },

  delete: async (ctx, input) => (await import("./delete-user.ts")).deleteUser(ctx, input),

  async deactivate(ctx, { id }) {
    const user = await oneUser(ctx, id);
    if (!user.active) return;
    if (user.admin) {
      requireSignIn(ctx, "deactivate an administrator");
      await requireOtherAdministrator(ctx, id);
    }
    await deactivateUsers(ctx, [id]);
  },

  async reactivate(ctx, { id }) {
    const changes = { active: 1, updated_at: ctx.now } as const;
    const [reactivated] = await updateRows(ctx.db, "users", { id, active: 0 }, changes, ["admin"]);
    if (reactivated === undefined) return;
    // Undoes the change, because it ends the transaction.
    if (reactivated.admin === 1) requireSignIn(ctx, "reactivate an administrator");
    await appointInsteadOf(ctx, [id]);
    ctx.changed("user.update", id);
  },

  async welcome(ctx, { users }) {
    await (await import("./send-welcome.ts")).sendWelcome(ctx, users);
  },

  async policy(ctx) {
    const { numUpdatedRows } = await ctx.db
      .updateTable("users")
      .set({ policy_accepted_at: ctx.now })
      .where("id", "=", ctx.actor.id)
      .where((eb) => eb.or([eb("policy_accepted_at", "is", null), eb("policy_accepted_at", "<", ctx.now)]))
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await markChanged(ctx, "user", [ctx.actor.id]);
  },
} satisfies Partial<Handlers<typeof contract>>;

type NewUser = InputOf<typeof contract.create>;

/** Returns the issues of those fields of a new user that depend on each other or on data; see `Checks`. */
export async function newUserIssues(ctx: Ctx, { password, ...fields }: Partial<NewUser>): Promise<FieldIssues> {
  const issue = password === undefined ? undefined : await passwordIssue(password, fields, ctx.settings);
  return {
    ...accountIssues({ password, ...fields }),
    ...(await profileIssues(ctx, { language: fields.language, birthday: fields.birthday })),
    ...(issue !== undefined && { password: [issue] }),
    ...(await membershipIssues(ctx, fields)),
  };
}

/** A person needs an e-mail address; a service account must not have what lets a person sign in. */
function accountIssues({ service, email, password, welcome, provider = "local" }: Partial<NewUser>): FieldIssues {
  if (!service) {
    const foreign = provider !== "local" && password !== undefined;
    return {
      ...(email === undefined && { email: [{ code: "required" }] }),
      ...(foreign && { password: [{ code: "managed_elsewhere" }] }),
    };
  }
  const named = provider === "local" ? undefined : provider;
  const given = Object.entries({ email, password, welcome: welcome || undefined, provider: named });
  const wrong = given.filter(([, value]) => value !== undefined);
  return Object.fromEntries(wrong.map(([field]) => [field, [{ code: "service_account" }]]));
}

const ownFields = new Set(["phone", "language", "timezone", "settings"]);

/** Throws `forbidden` when a field is not one that all users may change in their own account. */
function requireOwnFields(fields: UserFields): void {
  const foreign = Object.keys(fields).filter(
    (name) => fields[name as keyof UserFields] !== undefined && !ownFields.has(name),
  );
  if (foreign.length > 0)
    throw new ServiceError("forbidden", `You don't have the ability user, which changing ${foreign.join(", ")} needs.`);
}

function requireAdministrator(ctx: Ctx): void {
  if (!ctx.actor.admin)
    throw new ServiceError("forbidden", "Only administrators can grant or revoke administrator rights.");
}

/** Returns true for users whose address gives more than the abilities of a token: its owner and administrators. */
export const isSignInAddress = ({ actor }: Ctx, user: RowOf<"users", "id" | "admin">): boolean =>
  user.id === actor.id || user.admin === 1;

/** Throws `conflict` when another user than `except` has the address or the reference. */
async function requireUntaken(
  ctx: Ctx,
  { email, reference }: { email?: string | undefined; reference?: string | null | undefined },
  except = 0,
): Promise<void> {
  const [byEmail] = email === undefined ? [] : await usersByEmail(ctx.db, { value: emailKey(email), except });
  if (byEmail) {
    const holder = seesPrivateFields(ctx.actor, byEmail) ? describeHolder(ctx.actor, byEmail) : "another user";
    throw new ServiceError("conflict", `The email is taken by ${holder}.`);
  }
  const [byReference] = reference ? await usersByReference(ctx.db, { value: reference, except }) : [];
  if (byReference)
    throw new ServiceError("conflict", `The reference is taken by ${describeHolder(ctx.actor, byReference)}.`);
}

/** Names the user who has an address or a reference. Says that the user is deactivated only to those who can reactivate users. */
function describeHolder(actor: Actor, { id, active, path }: Awaited<ReturnType<typeof usersByEmail>>[number]): string {
  if (active === 1 || !may(actor, "user", path)) return `user ${id}`;
  return `user ${id}, who is deactivated; wcs users reactivate ${id} makes the user active again`;
}

interface Taken {
  readonly value: string;
  readonly except: number;
}

const holdersExcept = (db: Db, { except }: Taken) =>
  db
    .selectFrom("users as u")
    .leftJoin("units as n", "n.id", "u.unit_id")
    .select(["u.id", "u.active", "n.path"])
    .where("u.id", "<>", except);

const usersByEmail = prepared((db, p: Taken) => holdersExcept(db, p).where("u.email_key", "=", p.value));
const usersByReference = prepared((db, p: Taken) => holdersExcept(db, p).where("u.reference", "=", p.value));

const userRows = prepared((db, p: { id: number }) =>
  db
    .selectFrom("users as u")
    .leftJoin("units as n", "n.id", "u.unit_id")
    .selectAll("u")
    .select("n.path")
    .where("u.id", "=", p.id),
);
