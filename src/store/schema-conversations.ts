import type { Generated } from "kysely";

interface ConversationsTable {
  id: Generated<number>;
  type: "direct" | "group";
  title: Generated<string>;
  /** The folded words of the title, with a space before each. */
  title_key: Generated<string>;
  /** Stands for who is in it: equal exactly when the same people are. */
  people_key: string;
  /** Of the latest message. Whoever raises it holds the lock of this row. */
  last_position: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** Who is in a conversation, and how it looks to them. Positions are those of messages. */
interface ConversationParticipantsTable {
  conversation_id: number;
  user_id: number;
  role: Generated<"member" | "administrator">;
  joined_position: number;
  /** Up to here they have seen it. */
  seen_position: number;
  /** Up to here they have deleted it for themselves. */
  cleared_position: Generated<number>;
  /** Normal messages of others after `seen_position` that were not deleted. */
  unread_count: Generated<number>;
  /** By it their list is ordered; null while there is nothing to show. */
  latest_message_id: number | null;
  archived_at: number | null;
  mute_rule: number | null;
}

interface MessagesTable {
  id: Generated<number>;
  conversation_id: number;
  /** 1, 2, 3 ... in each conversation, in the order in which they became visible. */
  position: number;
  type: "normal" | "service";
  author_id: number;
  parent_id: number | null;
  message: string;
  /** JSON, of service messages: event, users (IDs), title. */
  meta: string | null;
  created_at: number;
  edited_at: number | null;
  deleted_at: number | null;
}

interface MessageReactionsTable {
  message_id: number;
  user_id: number;
  emoji: string;
  created_at: number;
}

/** Beside these there is `message_words`, of another form on each database. */
export interface ConversationsSchema {
  conversations: ConversationsTable;
  conversation_participants: ConversationParticipantsTable;
  messages: MessagesTable;
  message_reactions: MessageReactionsTable;
}
