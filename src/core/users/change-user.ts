import { type FieldErrors, invalid, ServiceError } from "../../contract/errors.ts";
import { messageOf } from "../../contract/issue-messages.ts";
import type { users as contract } from "../../contract/users.ts";
import { flagValue, isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { markChangedUsers } from "../directory/mark-changed-users.ts";
import { addMembership, membershipIssues } from "../directory/memberships.ts";
import { hashPassword, passwordIssue } from "../directory/passwords.ts";
import { requirePeople, serviceProvider } from "../directory/service-accounts.ts";
import { emailKey, userNameKey } from "../directory/text-keys.ts";
import { may } from "../pipeline/actor.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireSignIn } from "../pipeline/permissions.ts";
import { queueMail } from "../pipeline/queue-mail.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { deactivateUsers, requireOtherAdministrator, updateColumns } from "./change-account.ts";
import { birthdayKey } from "./list-birthdays.ts";
import { languageIssue, languageIssues } from "./offered-languages.ts";
import { oneUser } from "./read-users.ts";
import { indexUser } from "./search-users.ts";

type Changing = "create" | "update" | "delete" | "deactivate" | "reactivate" | "welcome" | "policy";

export const userChangeHandlers: Pick<Handlers<typeof contract>, Changing> = {
  async create(ctx, { unit, userTypes, department, password, welcome, service, ...fields }) {
    const { first_name, last_name } = fields;
    if (fields.admin) requireAdministrator(ctx);
    if (fields.admin) requireSignIn(ctx, "make administrators");
    if (password !== undefined) requireSignIn(ctx, "set passwords");
    refuse(await newUserIssues(ctx, { ...fields, unit, userTypes, department, password, welcome, service }));
    const password_hash = password === undefined ? null : await hashPassword(password);
    return ctx.transaction(async (tx) => {
      await requireFree(tx, fields);
      const { id } = await tx.db
        .insertInto("users")
        .values({
          ...userColumns(fields),
          first_name,
          last_name,
          name_key: userNameKey({ first_name, last_name }),
          ...(service && { provider: serviceProvider }),
          password_hash,
          created_at: tx.now,
          updated_at: tx.now,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await addMembership(tx, { user: id, unit, userTypes, department });
      await indexUser(tx, id);
      if (welcome) await sendWelcome(tx, [id]);
      tx.changed("user.create", id);
      return oneUser(tx, id);
    });
  },

  async update(ctx, { id, ...fields }) {
    const before = await oneUser(ctx, id);
    if (fields.admin !== undefined && fields.admin !== before.admin) requireAdministrator(ctx);
    if (!may(ctx.actor, "user", await pathOfUser(ctx, id))) requireOwnFields(fields);
    if (fields.admin !== undefined) requireSignIn(ctx, "grant or revoke administrator rights");
    if (fields.email !== undefined && fields.email !== before.email && isSignInAddress(ctx, before))
      requireSignIn(ctx, "change the e-mail address of its owner or of an administrator");
    if (fields.admin === false && before.admin) await requireOtherAdministrator(ctx, id);
    if (fields.email !== undefined) await requirePeople(ctx, [id], "email");
    if (fields.provider !== undefined) await requirePeople(ctx, [id], "provider");
    refuse(await languageIssues(ctx, { id, language: fields.language }));
    await requireFree(ctx, fields, id);
    // oneUser has found it.
    const row = (await userRows(ctx.db, { id }))[0]!;
    const changes = listChangedColumns(row, userColumns(fields));
    if (Object.keys(changes).length === 0) return before;
    if (changes.provider !== undefined) requireAnother(ctx, id);
    await updateColumns(ctx, id, changes);
    if (["first_name", "last_name", "title", "email"].some((name) => name in changes)) await indexUser(ctx, id);
    ctx.changed("user.update", id);
    return oneUser(ctx, id);
  },

  delete: async (ctx, input) => (await import("./delete-user.ts")).deleteUser(ctx, input),

  async deactivate(ctx, { id }) {
    const user = await oneUser(ctx, id);
    if (!user.active) return;
    if (user.admin) await requireOtherAdministrator(ctx, id);
    await deactivateUsers(ctx, [id]);
  },

  async reactivate(ctx, { id }) {
    const { numUpdatedRows } = await ctx.db
      .updateTable("users")
      .set({ active: 1, updated_at: ctx.now })
      .where("id", "=", id)
      .where("active", "=", 0)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) ctx.changed("user.update", id);
  },

  async welcome(ctx, { users }) {
    await sendWelcome(ctx, users);
  },

  async policy(ctx) {
    const { numUpdatedRows } = await ctx.db
      .updateTable("users")
      .set({ policy_accepted_at: ctx.now })
      .where("id", "=", ctx.actor.id)
      .where((eb) => eb.or([eb("policy_accepted_at", "is", null), eb("policy_accepted_at", "<", ctx.now)]))
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await markChangedUsers(ctx, [ctx.actor.id]);
  },
};

type Create = Parameters<Handlers<typeof contract>["create"]>[1];

/** Returns the issues of those fields of a new user that depend on each other or on data; see `Checks`. */
export async function newUserIssues(ctx: Ctx, { password, ...fields }: Partial<Create>): Promise<FieldErrors> {
  const issue = password === undefined ? undefined : await passwordIssue(password, fields, ctx.settings);
  const language = languageIssue(ctx, fields.language);
  return {
    ...accountIssues({ password, ...fields }),
    ...(language !== undefined && { language: [messageOf(language)] }),
    ...(issue !== undefined && { password: [messageOf(issue)] }),
    ...(await membershipIssues(ctx, fields)),
  };
}

/** A person needs an e-mail address; a service account must not have what lets a person sign in. */
function accountIssues({ service, email, password, welcome, provider = "local" }: Partial<Create>): FieldErrors {
  if (!service) {
    const missing = email === undefined && { email: [messageOf({ code: "required" })] };
    const foreign = provider !== "local" && password !== undefined;
    return { ...missing, ...(foreign && { password: [messageOf({ code: "managed_elsewhere" })] }) };
  }
  const named = provider === "local" ? undefined : provider;
  const given = Object.entries({ email, password, welcome: welcome || undefined, provider: named });
  const wrong = given.filter(([, value]) => value !== undefined);
  return Object.fromEntries(wrong.map(([field]) => [field, [messageOf({ code: "service_account" })]]));
}

type Fields = Omit<Parameters<Handlers<typeof contract>["update"]>[1], "id">;

/** Returns the columns for the given input fields; fields that are not given stay undefined. */
export function userColumns({ email, birthday, admin, settings, ...same }: Fields) {
  return {
    ...same,
    email,
    email_key: email === undefined ? undefined : emailKey(email),
    birthday,
    birthday_key: birthday === undefined ? undefined : birthdayKey(birthday),
    admin: flagValue(admin),
    show_birthdays: settings?.show_birthdays,
    birthdays_optout: flagValue(settings?.birthdays_optout),
  };
}

const ownFields = new Set(["phone", "language", "timezone", "settings"]);

/** Throws `forbidden` when a field is not one that all users may change in their own account. */
function requireOwnFields(fields: Fields): void {
  const foreign = Object.keys(fields).filter(
    (name) => fields[name as keyof Fields] !== undefined && !ownFields.has(name),
  );
  if (foreign.length > 0)
    throw new ServiceError("forbidden", `You don't have the ability user, which changing ${foreign.join(", ")} needs.`);
}

function requireAdministrator(ctx: Ctx): void {
  if (!ctx.actor.admin)
    throw new ServiceError("forbidden", "Only administrators can grant or revoke administrator rights.");
}

/** Returns true for users whose address gives more than the abilities of a token: its owner and administrators. */
export const isSignInAddress = ({ actor }: Ctx, user: { readonly id: number; readonly admin: boolean }): boolean =>
  user.id === actor.id || user.admin;

/** Throws `forbidden` about one's own provider: the change would end the session and could lock everybody out. */
function requireAnother({ actor }: Ctx, id: number): void {
  if (id === actor.id)
    throw new ServiceError("forbidden", "You cannot change your own provider; ask another administrator.");
}

async function requireFree(
  ctx: Ctx,
  { email, reference }: { email?: string | undefined; reference?: string | null | undefined },
  except = 0,
): Promise<void> {
  const taken = (column: "email_key" | "reference", value: string) =>
    ctx.db.selectFrom("users").select("id").where(column, "=", value).where("id", "<>", except).executeTakeFirst();
  const byEmail = email === undefined ? undefined : await taken("email_key", emailKey(email));
  if (byEmail) throw new ServiceError("conflict", `The email is taken by user ${byEmail.id}.`);
  const byReference = reference ? await taken("reference", reference) : undefined;
  if (byReference) throw new ServiceError("conflict", `The reference is taken by user ${byReference.id}.`);
}

const pathsOfUser = prepared((db, p: { id: number }) =>
  db.selectFrom("users as u").innerJoin("units as n", "n.id", "u.unit_id").select("n.path").where("u.id", "=", p.id),
);

const userRows = prepared((db, p: { id: number }) => db.selectFrom("users").selectAll().where("id", "=", p.id));

async function pathOfUser(ctx: Ctx, id: number): Promise<string | null> {
  const [row] = await pathsOfUser(ctx.db, { id });
  return row?.path ?? null;
}

/** Queues welcome mails. They contain a link to set a password if the user signs in here and has none yet. */
async function sendWelcome(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const users = await ctx.db
    .selectFrom("users")
    .select(["id", "email", "active"])
    .where((eb) => isAmong(ctx.db, eb.ref("id"), ids))
    .execute();
  const inactive = users.filter((user) => user.active === 0).map((user) => user.id);
  if (inactive.length > 0) throw invalid({ users: [`contains deactivated users: ${inactive.join(", ")}`] });
  await requirePeople(ctx, ids, "users");
  for (const { id, email } of users) if (email !== null) await queueMail(ctx, "welcome", { id, email });
}
