import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Tx } from "../../src/store/database.ts";
import { password } from "./actors.ts";
import { newEngine } from "./engine.ts";
import type { Scene } from "./permission-table.ts";
import { newReceiver } from "./receiver.ts";
import { enrol } from "./second-factor.ts";

/** The words of a message that a search finds, in two scripts. */
export const searched = "Hafen-Übersicht 港湾の予定";

/**
 * Puts rows into the tables that the scene leaves empty, and deletes the latest user type, so that an ID is taken that no row
 * has. Returns the secret of a webhook.
 */
export async function fillScene({ instance, ids, posts, events, talk, addUser }: Scene): Promise<string> {
  const { database, administrator } = instance;
  await instance.administrator.call(users.password, { id: ids.manager, password });
  await enrol(await instance.as(ids.manager), instance);
  const receiver = await newReceiver();
  const { id, secret } = (await administrator.call(webhooks.create, { name: "Moved", uri: receiver.url })).data;
  await addUser();
  const type = await administrator.call(usertypes.create, { name: "Latest" });
  await administrator.call(usertypes.delete, { id: type.id });
  await newEngine(instance).drain({ maxSeconds: 60 });
  await receiver.close();
  // Nothing listens there any more.
  await administrator.call(webhooks.update, { id, active: false });
  await database.write(async (tx) => {
    await tx
      .insertInto("settings")
      .values({ key: "mail.from", value: '"Ærø <a@example.com>"' })
      .onConflict((c) => c.doNothing())
      .execute();
    await insertRows(tx, "idempotency_keys", [
      {
        ...{ actor_id: 1, key: "k", operation: "posts.create", input_hash: "h" },
        ...{ response: '{"text":"\\u0000 \\\\x"}', created_at: 1 },
      },
    ]);
    await insertRows(tx, "event_listening", [{ id: 1, polled_at: 1 }]);
    await insertRows(tx, "counter_marks", [
      { user_id: ids.member, counter: "news", since: 1, last_post: 0, last_event: 0, last_message: 0 },
    ]);
    const mention = { post_id: posts.news, comment_id: null, user_id: ids.member, seen: 0 };
    await insertRows(tx, "post_mentions", [mention, { ...mention, comment_id: posts.comment }]);
    await insertRows(tx, "event_marks", [{ event_id: events.chain, user_id: ids.member, seen_at: 1 }]);
    await insertRows(tx, "message_reactions", [
      { message_id: talk.ofManager, user_id: ids.member, emoji: "👍🏽", created_at: 1 },
    ]);
    await vote(tx, posts.choice, ids.member);
    await tx.updateTable("units").set({ lat: 55.676098, lng: -0.1 }).where("id", "=", 1).execute();
  });
  return secret ?? "";
}

async function vote(tx: Tx, choice_id: number, user_id: number): Promise<void> {
  const { poll_id } = await tx
    .selectFrom("poll_choices")
    .select("poll_id")
    .where("id", "=", choice_id)
    .executeTakeFirstOrThrow();
  await insertRows(tx, "poll_votes", [{ poll_id, user_id, choice_id }]);
  await tx.updateTable("poll_choices").set({ vote_count: 1 }).where("id", "=", choice_id).execute();
}
