import type { Generated } from "kysely";
import type { Timestamps } from "./column-types.ts";

/** Tables of conversations. The table `message_words` is not typed, since it differs between the databases. */
export interface ConversationsSchema {
  conversations: Timestamps & {
    id: Generated<number>;
    type: "direct" | "group";
    title: Generated<string>;
    /** The case-folded words of the title, each after a space. */
    title_key: Generated<string>;
    /** Identifies the set of participants: equal exactly when they are the same users. */
    people_key: string;
    /** Position of the latest message. A transaction that raises it holds the lock of this row. */
    last_position: Generated<number>;
  };

  /** Participants and their view of the conversation. Positions are positions of messages. */
  conversation_participants: {
    conversation_id: number;
    user_id: number;
    role: Generated<"member" | "administrator">;
    joined_position: number;
    /** Position up to which the participant has seen messages. */
    seen_position: number;
    /** Position up to which the participant has deleted the conversation. */
    cleared_position: Generated<number>;
    /** Number of messages of others, without service messages, after `seen_position` that were not deleted. */
    unread_count: Generated<number>;
    /** Sort key of the participant's list; null while there is nothing to show. */
    latest_message_id: number | null;
    archived_at: number | null;
    /** ID of the mute rule, and its end; without an end, `muted_until` is null. */
    mute_rule: number | null;
    muted_until: number | null;
  };

  messages: {
    id: Generated<number>;
    conversation_id: number;
    /** 1, 2, 3 ... in each conversation, in the order in which the messages became visible. */
    position: number;
    type: "normal" | "service";
    author_id: number;
    parent_id: number | null;
    message: string;
    /** JSON of a service message: event, users (IDs), title. */
    meta: string | null;
    created_at: number;
    edited_at: number | null;
    deleted_at: number | null;
  };

  message_reactions: { message_id: number; user_id: number; emoji: string; created_at: number };
}
