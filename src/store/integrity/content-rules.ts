import { type IntegrityRule, muteEnds, type Recount } from "./recount.ts";

const answers = `count(case when answer = 'accepted' then 1 end) as accepted,
  count(case when answer = 'rejected' then 1 end) as rejected`;

export const postRules: readonly (Recount | IntegrityRule)[] = [
  {
    thing: "post",
    from: `posts t
      left join (
        select post_id, count(liked_at) as likes, count(read_at) as readings, ${answers} from post_marks group by post_id
      ) m on m.post_id = t.id
      left join (
        select post_id, count(case when parent_id is null then 1 end) as comments, count(parent_id) as replies
        from comments where deleted_at is null group by post_id
      ) c on c.post_id = t.id`,
    columns: {
      comment_count: "coalesce(c.comments, 0)",
      reply_count: "coalesce(c.replies, 0)",
      like_count: "coalesce(m.likes, 0)",
      read_count: "coalesce(m.readings, 0)",
      accepted_count: "coalesce(m.accepted, 0)",
      rejected_count: "coalesce(m.rejected, 0)",
      listed_at: "coalesce(t.published_at, t.created_at)",
    },
  },
  {
    thing: "comment",
    from: `comments t left join (
      select parent_id, count(*) as number from comments where deleted_at is null group by parent_id
    ) r on r.parent_id = t.id`,
    columns: { reply_count: "coalesce(r.number, 0)" },
  },
  {
    thing: "choice",
    from: `poll_choices t left join (
      select choice_id, poll_id, count(*) as number from poll_votes group by choice_id, poll_id
    ) v on v.choice_id = t.id and v.poll_id = t.poll_id`,
    columns: { vote_count: "coalesce(v.number, 0)" },
  },
  {
    thing: "poll",
    rows: `select p.id from polls p join poll_votes v on v.poll_id = p.id where p.type = 'single'
      group by p.id, v.user_id having count(*) > 1`,
    says: "allows one vote per user, but a user has two",
  },
  muteEnds("post", "post_marks", "post_id"),
];

/** Lists the feed places of a post or event `t`, as `placesOf` of the core, with `columns` of `t` and `limited`. */
function places(table: string, columns: string): string {
  const from = `${table} t join audiences a on a.id = t.audience_id`;
  const isThere = "t.deleted_at is null";
  const part = (place: string, join: string, where = isThere, limited = "0") =>
    `select t.id as id, ${place} as place, ${columns}, ${limited} as limited from ${from} ${join} where ${where}`;
  const hasTypes = "case when exists (select 1 from audience_user_types where audience_id = a.id) then 1 else 0 end";
  return [
    part("'a' || a.author_id", ""),
    part("'o' || a.owner_unit_id", "", `${isThere} and a.owner_unit_id is not null`),
    part(
      "(case u.falldown when 1 then 'd' else 'u' end) || u.unit_id",
      "join audience_units u on u.audience_id = a.id",
      isThere,
      hasTypes,
    ),
    part("'s' || s.user_id", "join audience_shares s on s.audience_id = a.id"),
    ...(table === "posts"
      ? [
          part("'*'", "", `${isThere} and a.everywhere = 1`),
          part("'g' || a.group_id", "", `${isThere} and a.group_id is not null`),
        ]
      : [part("'c'", "", `${isThere} and a.personal = 0`)]),
  ].join(" union all ");
}

const postPlaces = places("posts", "t.listed_at, t.updated_at");
const keptPostPlaces = "select post_id as id, place, listed_at, updated_at from post_places";
const eventPlaces = `select p.id, p.place, d.start_at, d.end_at, d.span, p.limited
  from (${places("events", "t.start_at as first")}) p join event_dates d on d.event_id = p.id`;
const keptEventPlaces = "select event_id as id, place, start_at, end_at, span, limited from event_places";

/** Checks that feed entries exist exactly where readers look for them. */
const feedRules = (thing: string, wanted: string, kept: string): IntegrityRule[] => [
  {
    thing,
    rows: `select distinct id from (${wanted} except ${kept}) missing`,
    says: "is missing from a feed of its readers",
  },
  { thing, rows: `select distinct id from (${kept} except ${wanted}) surplus`, says: "is in a feed of other users" },
];

export const readerRules: readonly IntegrityRule[] = [
  ...feedRules("post", `select id, place, listed_at, updated_at from (${postPlaces}) wanted`, keptPostPlaces),
  ...feedRules("event", eventPlaces, keptEventPlaces),
];

export const eventRules: readonly (Recount | IntegrityRule)[] = [
  {
    thing: "event",
    from: `events t
      left join (select event_id, ${answers} from event_marks group by event_id) m on m.event_id = t.id`,
    columns: { accepted_count: "coalesce(m.accepted, 0)", rejected_count: "coalesce(m.rejected, 0)" },
  },
  {
    thing: "event",
    from: `events t
      left join (select event_id, min(start_at) as first from event_dates group by event_id) d on d.event_id = t.id`,
    columns: { start_at: "d.first" },
    where: "t.deleted_at is null",
  },
  {
    thing: "event",
    rows: "select distinct d.event_id as id from event_dates d join events e on e.id = d.event_id where e.deleted_at is not null",
    says: "is deleted but still has occurrences",
  },
];

const ownerRule = (name: string, table: string, exists = "o.deleted_at is null"): IntegrityRule => ({
  thing: "file",
  rows: `select f.id from files f left join ${table} o on o.id = f.owner_id and ${exists}
    where f.owner = '${name}' and o.id is null`,
  says: `belongs to a missing ${name}`,
});

export const fileRules: readonly (Recount | IntegrityRule)[] = [
  ownerRule("post", "posts"),
  ownerRule("event", "events"),
  ownerRule("message", "messages"),
  ownerRule("user", "users"),
  ownerRule("unit", "units", "1 = 1"),
  ownerRule("group", "groups", "1 = 1"),
  {
    thing: "file",
    rows: `select max(id) as id from files where owner in ('user', 'unit', 'group') group by owner, owner_id having count(*) > 1`,
    says: "is a second image of its owner",
  },
  { thing: "file", from: "files t join file_contents c on c.sha256 = t.sha256", columns: { size: "c.size" } },
  {
    thing: "content",
    id: "t.sha256",
    from: `file_contents t left join (
      select sha256, sum(length(bytes)) as bytes, max(number) + 1 - count(*) as gaps from file_chunks group by sha256
    ) c on c.sha256 = t.sha256`,
    columns: { size: "case when coalesce(c.gaps, 0) = 0 then coalesce(c.bytes, 0) else -1 end" },
  },
  {
    thing: "content",
    rows: `select sha256 as id from file_contents c
      where not exists (select 1 from files f where f.sha256 = c.sha256)`,
    says: "belongs to no file",
  },
];
