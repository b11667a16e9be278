import { type IntegrityRule, muteEnds, type Recount } from "./recount.ts";

const participant = { thing: "conversation", id: "t.conversation_id || ', user ' || t.user_id" };

export const conversationRules: readonly (Recount | IntegrityRule)[] = [
  {
    thing: "conversation",
    from: `conversations t left join (
      select conversation_id, count(*) as number, max(position) as last from messages group by conversation_id
    ) m on m.conversation_id = t.id`,
    // Without gaps, the number of messages equals the last position.
    columns: { last_position: "case when m.last is distinct from m.number then -1 else coalesce(m.number, 0) end" },
  },
  {
    thing: "conversation",
    rows: `select c.id from conversations c left join conversation_participants p on p.conversation_id = c.id
      where c.type = 'direct' group by c.id having count(p.user_id) <> 2`,
    says: "is direct but does not have two participants",
  },
  {
    thing: "conversation",
    rows: `select c.id from conversations c join conversation_participants p on p.conversation_id = c.id
      where c.type = 'group' group by c.id having count(case when p.role = 'administrator' then 1 end) = 0`,
    says: "is a group without an administrator",
  },
  muteEnds("conversation", "conversation_participants", "conversation_id"),
  {
    ...participant,
    from: `conversation_participants t left join (
      select p.conversation_id, p.user_id, count(*) as number
      from conversation_participants p
      join messages m on m.conversation_id = p.conversation_id and m.position > p.seen_position
      where m.type = 'normal' and m.author_id <> p.user_id and m.deleted_at is null
      group by p.conversation_id, p.user_id
    ) u on u.conversation_id = t.conversation_id and u.user_id = t.user_id`,
    columns: { unread_count: "coalesce(u.number, 0)" },
  },
  {
    ...participant,
    from: `conversation_participants t
      join conversations c on c.id = t.conversation_id
      join messages m on m.conversation_id = c.id and m.position = c.last_position`,
    columns: { latest_message_id: "m.id" },
    where: `exists (
      select 1 from messages n
      where n.conversation_id = t.conversation_id and n.position > t.cleared_position and n.type = 'normal'
    )`,
  },
  {
    thing: "message",
    rows: `select distinct m.id from messages m join message_reactions r on r.message_id = m.id
      where m.deleted_at is not null`,
    says: "is deleted but still has reactions",
  },
];

/** `id` is the column of the word index that holds the message ID. */
export const searchRules = (id: "rowid" | "message_id"): readonly IntegrityRule[] => [
  {
    thing: "message",
    rows: `select w.${id} as id from message_words w left join messages m on m.id = w.${id}
      where m.id is null or m.type <> 'normal' or m.deleted_at is not null`,
    says: "is in the search index but does not exist",
  },
];
