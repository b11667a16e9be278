import { ServiceError } from "../../contract/errors.ts";
import { findRows } from "../../store/bulk.ts";
import { requirePeople } from "../directory/service-accounts.ts";
import type { Ctx } from "../pipeline/context.ts";
import { referenceIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { queueMails } from "../pipeline/queue-mail.ts";
import {
  accountOf,
  accountOfUser,
  countByAccount,
  maxWelcomeMails,
  recordEvents,
  removeExpiredEvents,
  requireBelowLimits,
  type Subject,
} from "../pipeline/rate-limits.ts";

/** Queues welcome mails. They contain a link to set a password if the user signs in here and has none yet. */
export async function sendWelcome(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const users = await findRows(ctx.db, "users", { id: ids }, ["id", "email", "email_key"]);
  users.sort((a, b) => a.id - b.id);
  requireNoIssues(await referenceIssues(ctx, [["users", "users", ids]]));
  await requirePeople(ctx, ids, "users");
  const recipients = users.flatMap(({ id, email, email_key }) =>
    email === null || email_key === null ? [] : [{ id, email, email_key }],
  );
  await countMails(ctx, recipients);
  await queueMails(ctx, "welcome", recipients);
}

/** Counts the mails by address and by sender. Takes no lock, because the transaction is serializable. */
async function countMails(ctx: Ctx, recipients: readonly Record<"email" | "email_key", string>[]): Promise<void> {
  const addresses = new Map(
    recipients.map(({ email, email_key }) => [accountOf(ctx, `welcome_mail ${email_key}`), email] as const),
  );
  await requireFewerMails(ctx, addresses);
  const accounts = [...addresses.keys()];
  const events = accounts.map((account): Subject => ({ kind: "welcome_mail", account }));
  // Access to the database itself has no limit.
  if (ctx.token || ctx.apiToken) {
    const sender: Subject = { kind: "welcome_sender", account: accountOfUser(ctx.actor.id) };
    const message = "You sent too many welcome mails in an hour; try again later.";
    await requireBelowLimits(ctx, sender, accounts.length, message);
    events.push(...accounts.map(() => sender));
  }
  await removeExpiredEvents(ctx);
  await recordEvents(ctx, events);
}

/** Throws `too_many_requests` if one of the addresses, each with its account, has reached the limit. */
async function requireFewerMails(ctx: Ctx, addresses: ReadonlyMap<string, string>): Promise<void> {
  const counted = [...(await countByAccount(ctx, "welcome_mail", [...addresses.keys()]))];
  const reached = counted.filter(([, { count }]) => count >= maxWelcomeMails);
  if (reached.length === 0) return;
  const limited = reached.map(([account]) => addresses.get(account)).sort();
  const until = Math.max(...reached.map(([, limit]) => limit.until));
  throw new ServiceError(
    "too_many_requests",
    `There were ${maxWelcomeMails} welcome mails in an hour to ${limited.join(", ")}; try again later, or without them.`,
    { retryAfter: until - ctx.now },
  );
}
