import { describe, expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { sqliteLocal } from "../support/instance.ts";
import { useNewsroom } from "../support/newsroom.ts";
import { wrongFields } from "../support/outcome.ts";

interface Paging {
  readonly limit: number;
  readonly cursor?: string;
}
type List = (page: Paging) => Promise<{ readonly meta: { readonly next_cursor: string | null } }>;

describe("a cursor", () => {
  const newsroom = useNewsroom(sqliteLocal);

  /** Makes a post, an event, a group and a conversation with entries of two users each, and returns their lists. */
  const make = async (others: readonly number[] = []) => {
    const { actors, ids, write } = newsroom();
    const { administrator, member } = actors;
    const choices = [{ title: "Soup" }, { title: "Salad" }];
    const post = await write({ poll: { question: "Lunch?", choices } });
    const times = { title: "Meeting", start: 2_000_000_000, end: 2_000_003_600 };
    const event = await administrator.call(events.create, { ...times, type: "chain", units: [1] });
    const group = await administrator.call(groups.create, { name: "Group" });
    await administrator.call(groups.memberAdd, { id: group.id, user: ids.member });
    const comment = await member.call(posts.commentAdd, { id: post.id, body: "First" });
    const { conversationId: talk } = await administrator.call(conversations.create, {
      recipients: [ids.member, ...others],
      message: "First",
    });
    for (const actor of [administrator, member]) {
      await actor.call(posts.commentAdd, { id: post.id, body: "Reply", parent_id: comment.id });
      await actor.call(posts.vote, { id: post.id, choices: [post.poll!.choices[0]!.id] });
      await actor.call(events.accept, { id: event.id, answer: "accepted" });
    }
    await member.call(posts.commentAdd, { id: post.id, body: "Second" });
    await member.call(conversations.send, { id: talk, message: "Second" });
    await administrator.call(tokens.create, { name: `Token ${post.id}`, scopes: ["read"], expires_at: 2_000_000_000 });
    const lists: Record<string, List> = {
      "groups.members": (page) => administrator.call(groups.members, { id: group.id, ...page }),
      "posts.commentList": (page) => administrator.call(posts.commentList, { id: post.id, ...page }),
      "posts.votes": (page) => administrator.call(posts.votes, { id: post.id, ...page }),
      "posts.readers": (page) => administrator.call(posts.readers, { id: post.id, ...page }),
      "events.participants": (page) => administrator.call(events.participants, { id: event.id, ...page }),
      "conversations.messages": (page) => administrator.call(conversations.messages, { id: talk, ...page }),
    };
    const filtered: Record<string, List> = {
      "groups.members": (page) => administrator.call(groups.members, { id: group.id, role: "member", ...page }),
      "posts.commentList": (page) =>
        administrator.call(posts.commentList, { id: post.id, parent_id: comment.id, ...page }),
      "posts.readers": (page) => administrator.call(posts.readers, { id: post.id, status: "unconfirmed", ...page }),
      "events.participants": (page) =>
        administrator.call(events.participants, { id: event.id, answer: "accepted", ...page }),
      "conversations.messages": (page) =>
        administrator.call(conversations.messages, { id: talk, query: "first", ...page }),
    };
    return { lists, filtered };
  };

  const requireRefused = async (name: string, list: List, other: List) => {
    const cursor = (await list({ limit: 1 })).meta.next_cursor;
    expect(cursor, name).not.toBeNull();
    expect(await wrongFields(other({ limit: 1, cursor: cursor! })), name).toEqual(["cursor"]);
  };

  it("of a list that belongs to something is refused for the same list of something else, and with another filter", async () => {
    const [one, other] = [await make(), await make([newsroom().ids.outsider])];
    for (const [name, list] of Object.entries(one.lists)) await requireRefused(name, list, other.lists[name]!);
    for (const [name, list] of Object.entries(one.filtered)) await requireRefused(name, one.lists[name]!, list);
  });

  it("of a list of everything is refused with another filter", async () => {
    await make();
    const { administrator } = newsroom().actors;
    const lists: Record<string, readonly [List, List]> = {
      "groups.list": [
        (page) => administrator.call(groups.list, page),
        (page) => administrator.call(groups.list, { privacy: "public", ...page }),
      ],
      "posts.list": [
        (page) => administrator.call(posts.list, page),
        (page) => administrator.call(posts.list, { content_type: "news", ...page }),
      ],
      "units.tree": [
        (page) => administrator.call(units.tree, page),
        (page) => administrator.call(units.tree, { depth: 1, ...page }),
      ],
      "tokens.list": [
        (page) => administrator.call(tokens.list, page),
        (page) => administrator.call(tokens.list, { expires_before: 2_100_000_000, ...page }),
      ],
      "audit.list": [
        (page) => administrator.call(audit.list, page),
        (page) => administrator.call(audit.list, { operation: "users.*", ...page }),
      ],
    };
    for (const [name, [list, other]] of Object.entries(lists)) await requireRefused(name, list, other);
  });
});
