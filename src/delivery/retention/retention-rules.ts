import { type RawBuilder, sql } from "kysely";
import type { Settings } from "../../contract/settings.ts";
import type { Schema } from "../../store/schema/schema.ts";

/** The time of a removal, in Unix seconds, and the settings that apply. */
export interface RetentionMoment {
  readonly now: number;
  readonly settings: Settings;
}

export interface RetentionRule {
  /** Name of the rows in output. */
  readonly kind: string;
  readonly table: keyof Schema;
  /** Column that the query selects. Default: `id`. */
  readonly key?: string;
  /** Number of days for which the rows are kept, as a setting. Without it, the period is fixed. */
  readonly setting?: RetentionSetting;
  /** Table with rows that are deleted together with these, and its column with their key. */
  readonly parts?: { readonly table: keyof Schema; readonly column: string };
  /** Returns the condition of expired rows, with their order, which large tables have an index for. */
  expired(moment: RetentionMoment): RawBuilder<unknown>;
  /** The table expression to select from, if it is not the table. It contains the oldest rows, at most `max`. */
  from?(max: number): RawBuilder<unknown>;
}

export const expiredKeys = (
  { table, key = "id", from = () => sql.table(table), expired }: RetentionRule,
  moment: RetentionMoment,
  max: number,
) => sql`select ${sql.ref(key)} from ${from(max)} where ${expired(moment)} limit ${max}`;

type RetentionSetting = "audit.days" | "webhooks.log_days" | "mail.days" | "tokens.expired_days";

const daySeconds = 86_400;

const beginOf = ({ now, settings }: RetentionMoment, setting: RetentionSetting) => now - settings[setting] * daySeconds;

const ends = ({ now }: RetentionMoment) => sql`expires_at <= ${now} order by expires_at`;

/** Everything that is kept for a time only, in the order in which it is removed: parts before the whole. */
export const retentionRules: readonly RetentionRule[] = [
  // The oldest rows have the lowest IDs, so no index by time is needed.
  {
    kind: "webhook logs",
    table: "webhook_logs",
    setting: "webhooks.log_days",
    from: (max) => sql`(select id, created_at from webhook_logs order by id limit ${max}) as oldest`,
    expired: (moment) => sql`created_at < ${beginOf(moment, "webhooks.log_days")}`,
  },
  {
    kind: "webhook events",
    table: "webhook_events",
    setting: "webhooks.log_days",
    parts: { table: "deliveries", column: "event_id" },
    from: (max) => sql`(select e.id, e.created_at from webhook_events as e
      where not exists (select 1 from deliveries as d where d.event_id = e.id and d.state = 'waiting')
      order by e.id limit ${max}) as oldest`,
    expired: (moment) => sql`created_at < ${beginOf(moment, "webhooks.log_days")}`,
  },
  ...(["webhook_logs", "deliveries"] as const).map(
    (table): RetentionRule => ({
      kind: `${table === "deliveries" ? table : "logs"} of deleted webhooks`,
      table,
      // The first condition is checked once: without deleted webhooks no rows are read.
      expired: () => sql`exists (select 1 from webhooks where deleted_at is not null)
        and webhook_id in (select id from webhooks where deleted_at is not null)`,
    }),
  ),
  { kind: "deleted webhooks", table: "webhooks", expired: () => sql`deleted_at is not null` },
  {
    kind: "sent and failed mails",
    table: "mails",
    setting: "mail.days",
    expired: (moment) => sql`state <> 'waiting' and due_at < ${beginOf(moment, "mail.days") * 1000} order by due_at`,
  },
  {
    kind: "audit entries",
    table: "audit_entries",
    setting: "audit.days",
    expired: (moment) => sql`created_at < ${beginOf(moment, "audit.days")} order by created_at, id`,
  },
  {
    kind: "expired API tokens",
    table: "api_tokens",
    setting: "tokens.expired_days",
    expired: (moment) => sql`expires_at < ${beginOf(moment, "tokens.expired_days")} order by expires_at`,
  },
  { kind: "expired sessions", table: "sessions", expired: ends },
  { kind: "expired password links", table: "password_tokens", key: "token_hash", expired: ends },
  {
    kind: "unconfirmed second factors",
    table: "two_factors",
    key: "user_id",
    expired: ({ now }) => sql`begun_at <= ${now - daySeconds}
      and user_id in (select id from users where two_factor_at is null)`,
  },
  {
    kind: "stored responses",
    table: "idempotency_keys",
    key: "created_at",
    expired: ({ now }) => sql`created_at <= ${now - daySeconds} order by created_at`,
  },
  { kind: "attempts of rate limits", table: "rate_limit_events", expired: ends },
];
