import type { Kysely } from "kysely";
import { columnTypes, statements } from "../dialect.ts";

/** Replaces the table of failed sign-ins by one for all rate limits, and adds the outcome to the audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { id, key, number } = columnTypes(db);
  await statements(
    db,
    "drop table sign_in_failures",
    `create table rate_limit_events (
      id ${id},
      kind ${key} not null,
      account ${key} not null,
      network ${key} not null,
      pending ${number} not null,
      expires_at ${number} not null
    )`,
    "create index rate_limit_events_account on rate_limit_events (kind, account, pending, expires_at)",
    "create index rate_limit_events_network on rate_limit_events (kind, network, pending, expires_at)",
    "create index rate_limit_events_expiry on rate_limit_events (expires_at)",
    "alter table audit_entries add column outcome text not null default 'done'",
  );
}
