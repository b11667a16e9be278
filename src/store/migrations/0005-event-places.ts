import type { Kysely } from "kysely";
import { columnTypes, isPostgres, statements } from "../dialect.ts";

/** End of the occurrence before the first: earlier than any time, so that one comparison covers both cases. */
const never = Number.MIN_SAFE_INTEGER;

export async function up(db: Kysely<unknown>): Promise<void> {
  const { key, number } = columnTypes(db);
  await statements(
    db,
    // Index of the feeds in which readers find occurrences.
    `create table event_places (
      place ${key} not null,
      start_at ${number} not null,
      event_id ${number} not null references events (id),
      end_at ${number} not null,
      span integer not null,
      previous_at ${number} not null,
      primary key (place, start_at, event_id)
    )${isPostgres(db) ? "" : " without rowid"}`,
    `insert into event_places (place, start_at, event_id, end_at, span, previous_at)
      select p.place, d.start_at, d.event_id, d.end_at, d.span,
        lag(d.start_at, 1, ${never}) over (partition by p.place, d.event_id order by d.start_at)
      from event_dates d join (
        select e.id, 'a' || a.author_id as place from events e join audiences a on a.id = e.audience_id
        union all select e.id, 'o' || a.owner_unit_id from events e join audiences a on a.id = e.audience_id
          where a.owner_unit_id is not null
        union all select e.id, 'c' from events e join audiences a on a.id = e.audience_id where a.personal = 0
        union all select e.id, (case u.falldown when 1 then 'd' else 'u' end) || u.unit_id
          from events e join audience_units u on u.audience_id = e.audience_id
        union all select e.id, 's' || s.user_id from events e join audience_shares s on s.audience_id = e.audience_id
      ) p on p.id = d.event_id`,
    `create index event_places_first on event_places (place, previous_at, start_at, event_id) where previous_at = ${never}`,
    "create index event_places_long on event_places (place, span, start_at, event_id, end_at) where span > 1",

    // These indexes served the same lookups until now.
    "drop index event_dates_start",
    "drop index event_dates_span",
    "drop index events_audience",
    "drop index events_start",
    "drop index events_type",
    "drop index audiences_author",
    "drop index audiences_owner",
    "drop index audience_units_unit",
    "alter table audiences drop column kind",
    "alter table audience_units drop column kind",
    "create index audiences_owner on audiences (owner_unit_id)",
    "create index audience_units_unit on audience_units (unit_id)",
  );
}
