import type { Settings } from "../../contract/settings.ts";
import { findRow, updateRows } from "../../store/bulk.ts";
import type { Database, Tx } from "../../store/database.ts";
import { locking } from "../../store/dialect.ts";
import { replacePasswordToken } from "../../store/password-tokens.ts";
import type { ClaimedMail } from "./mail-queue.ts";
import type { Person } from "./mail-text.ts";

/** The recipient, with a new token where the mail lets the user set a password; or the reason why the mail is not sent. */
type Prepared = { readonly person: Person } | { readonly obsolete: string };

/** Prepares a mail to be sent now. Its new token replaces that of an earlier one of the same kind. `now` is in Unix milliseconds. */
export async function preparePersonMail(
  database: Database,
  mail: ClaimedMail,
  { settings, now }: { settings: Settings; now: number },
): Promise<Prepared> {
  const seconds = Math.floor(now / 1000);
  const isWelcome = mail.kind === "welcome";
  const lifetime = settings[isWelcome ? "passwords.welcome_lifetime" : "passwords.reset_lifetime"];
  if (!isWelcome && mail.created_at + lifetime <= seconds) return { obsolete: "It was asked for too long ago." };
  return database.writeLocking(async (tx) => {
    const user = await activeUser(tx, mail.user_id);
    if (user === undefined) return { obsolete: "The user is deactivated or deleted." };
    const { provider, password_hash, email, language, timezone } = user;
    const isLocal = provider === "local";
    if (!isWelcome && !isLocal) return { obsolete: "The user's password is managed elsewhere." };
    const mine = { id: mail.id, lease_token: mail.token };
    const [taken] = await updateRows(tx, "mails", mine, { recipient: email }, ["id"]);
    if (taken === undefined) return { obsolete: "Another worker has taken it." };
    const inviter = isWelcome ? await inviterOf(tx, mail) : undefined;
    const person = { name: `${user.first_name} ${user.last_name}`, email, language, timezone, inviter };
    if (!isLocal || (isWelcome && password_hash !== null)) return { person };
    const expires_at = seconds + lifetime;
    const kind = isWelcome ? "welcome" : "password_reset";
    const token = await replacePasswordToken(tx, { user: mail.user_id, kind, expires_at });
    return { person: { ...person, invitation: { token, expires_at } } };
  });
}

/** Locks the user against deactivation until the token is stored, so that a deactivation ends this token too. */
async function activeUser(tx: Tx, id: number) {
  const query = tx
    .selectFrom("users")
    .select(["email", "first_name", "last_name", "provider", "password_hash", "language", "timezone"])
    .where("id", "=", id)
    .where("active", "=", 1)
    .where("email", "is not", null)
    .$narrowType<{ email: string }>();
  return locking(tx, query).executeTakeFirst();
}

/** Returns the name of the user who sent a welcome mail, unless that user was deleted since. */
async function inviterOf(tx: Tx, { payload }: ClaimedMail): Promise<string | undefined> {
  const { inviter } = JSON.parse(payload) as { readonly inviter: number };
  const user = await findRow(tx, "users", { id: inviter, deleted_at: null }, ["first_name", "last_name"]);
  return user && `${user.first_name} ${user.last_name}`;
}

/**
 * Returns the recipient of a mail without a link, with the address: for a change of the account, that from before it. Returns
 * undefined for a deleted user and, if the mail is about a webhook, for a user who is not an active administrator.
 */
export async function addresseeOf(
  { reader }: Database,
  { kind, user_id, recipient }: ClaimedMail,
): Promise<Person | undefined> {
  const columns = ["email", "first_name", "last_name", "language", "timezone"] as const;
  const isOfWebhook = kind === "webhook_disabled";
  const administers = isOfWebhook ? ({ admin: 1, active: 1 } as const) : {};
  const user = await findRow(reader, "users", { id: user_id, deleted_at: null, ...administers }, columns);
  const email = isOfWebhook ? user?.email : recipient;
  return user && email ? { ...user, email, name: `${user.first_name} ${user.last_name}` } : undefined;
}
