import { counters } from "../../src/contract/counters.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import type { Figure } from "./figure.ts";
import { compare, onBothDatabases } from "./growth.ts";
import { type Everywhere, fillPosts, type Size } from "./many-posts.ts";

const few: Size = { units: 1000, posts: 2000 };
const many: Size = { units: 100_000, posts: 200_000 };
const rounds = 15;
const calls = 12;
const mixes: Readonly<Record<string, Everywhere>> = { "5 % for all": 5, "all for units": 0 };

/** G1: lists of posts and one post, of a hundred times as many posts in a hundred times as many units. */
export const manyPosts = () =>
  onBothDatabases(async function* (where, newTarget): AsyncGenerator<Figure> {
    for (const [about, everywhere] of Object.entries(mixes)) {
      const filled = async (size: Size) =>
        fillPosts(await newTarget(`posts_${everywhere}_${size.posts}`), size, everywhere);
      const [small, large] = [await filled(few), await filled(many)];
      for (const who of ["administrator", "member", "editor"] as const) {
        const compared = { small: { caller: small[who], size: few }, large: { caller: large[who], size: many } };
        for (const [what, ask] of Object.entries(questions)) {
          const figure = await compare(ask, { ...compared, rounds, calls });
          const note = `${many.posts} posts against ${few.posts}`;
          yield { ...figure, what: `posts ${what}, ${who} (${where}, ${about})`, note };
        }
      }
      await small.database.close();
      await large.database.close();
    }
  });

interface Asked {
  readonly caller: Caller;
  readonly size: Size;
}

/** Pages of what all have as many of, small or large. */
const limit = 5;

const questions: Readonly<Record<string, (asked: Asked, round: number) => Promise<unknown>>> = {
  list: ({ caller }) => caller.call(posts.list, { limit }),
  "list by update": ({ caller }) => caller.call(posts.list, { limit, sort: "updated" }),
  "list of debates": ({ caller }) => caller.call(posts.list, { limit, content_type: "debate" }),
  "list of the unseen": ({ caller }) => caller.call(posts.list, { limit, unseen: true }),
  "list of a unit": ({ caller, size }) => caller.call(posts.list, { limit, unit: size.units }),
  "list of drafts": ({ caller }) => caller.call(posts.list, { limit, status: "draft" }),
  counters: ({ caller }) => caller.call(counters.list, {}),
  // Members may read some of them only.
  get: ({ caller, size }, round) =>
    caller.call(posts.get, { id: 1 + ((round * 7919) % size.posts) }).catch((error) => {
      if (error.code !== "not_found") throw error;
    }),
};
