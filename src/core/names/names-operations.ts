import { type NamedKind, namedKinds } from "../../contract/field-metadata.ts";
import type { names as contract, NameMatch } from "../../contract/names.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { findGroups, findTokens, findUnits, findUserTypes, findWebhooks } from "./find-named.ts";
import { findConversationsByTitle, findEventsByTitle, findPostsByTitle } from "./find-titled.ts";
import { findUserNames } from "./find-user-names.ts";

/** Returns the matches of texts among the things of one kind. */
type Find = (ctx: Ctx, texts: readonly string[]) => Promise<NameMatch[]>;

const finders: Readonly<Record<NamedKind, Find>> = {
  users: findUserNames,
  units: findUnits,
  usertypes: findUserTypes,
  groups: findGroups,
  webhooks: findWebhooks,
  tokens: findTokens,
  events: findEventsByTitle,
  posts: findPostsByTitle,
  conversations: findConversationsByTitle,
};

export const names: Handlers<typeof contract> = {
  async find(ctx, { texts, kinds = namedKinds }) {
    // The empty text is the beginning of every name.
    const distinct = [...new Set(texts ?? [""])];
    const data: NameMatch[] = [];
    for (const kind of new Set(kinds)) data.push(...(await finders[kind](ctx, distinct)));
    const order = new Map(distinct.map((text, at) => [text, at]));
    return { data: data.sort((a, b) => (order.get(a.text) ?? 0) - (order.get(b.text) ?? 0)) };
  },
};
