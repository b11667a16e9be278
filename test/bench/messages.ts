import { conversations } from "../../src/contract/conversations.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { createService } from "../../src/core/service.ts";
import type { Figure } from "./figure.ts";
import { compare, onBothDatabases } from "./growth.ts";
import { type Filled, fillMessages } from "./many-messages.ts";

const many = 5_000_000;
const few = many / 100;
const rounds = 400;

/** G1 of conversations: the middle of the times that operations take with 5 M messages, and with a hundredth of them. */
export const messages = () =>
  onBothDatabases(async function* (where, newTarget): AsyncGenerator<Figure> {
    const [small, large] = [await open(await newTarget("few"), few), await open(await newTarget("many"), many)];
    for (const [what, ask] of Object.entries(asks)) {
      const askers = small.filled.users;
      const asked = (instance: typeof small, round: number) => ask({ ...instance, askers, n: round + 1 });
      const figure = await compare(asked, { small, large, rounds, calls: 1 });
      yield { ...figure, what: `${what} (${where})`, note: `floor: with ${few} messages` };
    }
    await small.filled.database.close();
    await large.filled.database.close();
  });

async function open(target: string, count: number) {
  const filled = await fillMessages(target, count);
  const service = createService({ database: filled.database });
  return { filled, as: (userId: number) => service.caller({ userId }) };
}

interface Asked {
  readonly filled: Filled;
  readonly as: (user: number) => Caller;
  /** Number of users to ask as: equal for both databases, since a service keeps what it read of a user. */
  readonly askers: number;
  /** Differs each time, and with it the user and the conversation. */
  readonly n: number;
}
type Ask = (asked: Asked) => Promise<unknown>;

/** A conversation of 100 messages and one of its two users. */
function smallOne({ filled: { conversations: count, users, userOf }, askers, n }: Asked): { id: number; user: number } {
  const id = 1 + (n % askers) + users * ((n * 7919) % (count / users));
  return { id, user: userOf(id) };
}
const words = (n: number) => `w${(n * 31) % 5000} w${(n * 17) % 500}`;

const asks: Record<string, Ask> = {
  "newest page of 25 messages": (asked) => {
    const { id, user } = smallOne(asked);
    return asked.as(user).call(conversations.messages, { id });
  },
  "page around one of a fifth of all messages": ({ filled, as, n }) => {
    const starter_message_id = filled.largeFirst + ((n * 7919) % filled.largeCount);
    return as(1).call(conversations.messages, { id: filled.large, starter_message_id });
  },
  "search in 100 messages": (asked) => {
    const { id, user } = smallOne(asked);
    return asked.as(user).call(conversations.messages, { id, query: words(asked.n) });
  },
  "search in a fifth of all messages": ({ filled, as, n }) =>
    as(1).call(conversations.messages, { id: filled.large, query: `w${1000 + ((n * 31) % 4000)}` }),
  "search by one letter in a fifth of all messages": ({ filled, as }) =>
    as(1).call(conversations.messages, { id: filled.large, query: "w" }),
  "list of conversations": (asked) => asked.as(smallOne(asked).user).call(conversations.list, {}),
  "list of conversations with a keyword": (asked) =>
    asked.as(smallOne(asked).user).call(conversations.list, { keyword: `given${asked.n % 97}` }),
  "list of unread conversations": (asked) =>
    asked.as(smallOne(asked).user).call(conversations.list, { status: "unread" }),
  "conversation of exactly these people": (asked) => {
    const { user } = smallOne(asked);
    // The next one; after the last, the first, who has ID 2.
    return asked.as(user).call(conversations.list, { participants: [2 + ((user - 1) % asked.filled.users)] });
  },
  "one conversation": (asked) => {
    const { id, user } = smallOne(asked);
    return asked.as(user).call(conversations.get, { id });
  },
};
