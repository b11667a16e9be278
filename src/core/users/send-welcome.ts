import { invalid, ServiceError } from "../../contract/errors.ts";
import { insertRows } from "../../store/bulk.ts";
import { requirePeople } from "../directory/service-accounts.ts";
import type { Ctx } from "../pipeline/context.ts";
import { queueMails } from "../pipeline/queue-mail.ts";
import {
  accountOf,
  accountOfUser,
  checkLimits,
  countsNow,
  mostWelcomeMails,
  rateLimits,
  removeExpiredEvents,
} from "../pipeline/rate-limits.ts";

/** Queues welcome mails. They contain a link to set a password if the user signs in here and has none yet. */
export async function sendWelcome(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const users = await ctx.db
    .selectFrom("users")
    .select(["id", "email", "email_key", "active"])
    .where("id", "in", ids)
    .orderBy("id")
    .execute();
  const inactive = users.filter((user) => user.active === 0).map((user) => user.id);
  if (inactive.length > 0) throw invalid({ users: [`contains deactivated users: ${inactive.join(", ")}`] });
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
  // Access to the database itself has no limit.
  const sender = ctx.token || ctx.apiToken ? accountOfUser(ctx.actor.id) : undefined;
  const { until } = sender
    ? await checkLimits(ctx, { kind: "welcome_sender", account: sender }, addresses.size)
    : { until: 0 };
  if (until > 0) {
    const message = "You sent too many welcome mails in an hour; try again later.";
    throw new ServiceError("too_many_requests", message, { retryAfter: until - ctx.now });
  }
  await removeExpiredEvents(ctx);
  const expires_at = ctx.now + rateLimits.welcome_mail.seconds;
  const event = { network: "", pending: 0, expires_at };
  const events = [...addresses.keys()].flatMap((account) => [
    { kind: "welcome_mail", account, ...event },
    ...(sender === undefined ? [] : [{ kind: "welcome_sender", account: sender, ...event }]),
  ]);
  await insertRows(ctx.db, "rate_limit_events", events);
}

/** Throws `too_many_requests` if one of the addresses, each with its account, has reached the limit. */
async function requireFewerMails(ctx: Ctx, addresses: ReadonlyMap<string, string>): Promise<void> {
  const reached = await ctx.db
    .selectFrom("rate_limit_events")
    .select(({ fn }) => ["account", fn.min("expires_at").as("until")])
    .where("kind", "=", "welcome_mail")
    .where("account", "in", [...addresses.keys()])
    .where(countsNow(ctx, "welcome_mail"))
    .groupBy("account")
    .having(({ fn }) => fn.countAll(), ">=", mostWelcomeMails)
    .execute();
  if (reached.length === 0) return;
  const limited = reached.map(({ account }) => addresses.get(account)).sort();
  const until = Math.max(...reached.map((limit) => limit.until));
  throw new ServiceError(
    "too_many_requests",
    `There were ${mostWelcomeMails} welcome mails in an hour to ${limited.join(", ")}; try again later, or without them.`,
    { retryAfter: until - ctx.now },
  );
}
