import { type NamedKind, namedKinds } from "../../contract/field-metadata.ts";
import { names as contract, type NameMatch } from "../../contract/names.ts";
import { allows } from "../../contract/token-scopes.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { notCovered } from "../pipeline/identify-caller.ts";
import { findGroups, findTokens, findUnits, findUserTypes, findWebhooks } from "./find-named.ts";
import { findConversationsByTitle, findEventsByTitle, findPostsByTitle } from "./find-titled.ts";
import { findUserNames } from "./find-user-names.ts";

const finders: Readonly<Record<NamedKind, (ctx: Ctx, texts: readonly string[]) => Promise<NameMatch[]>>> = {
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

/** Returns the kinds to search. Throws `forbidden` when an API token can neither get nor list things of an asked kind. */
function kindsFor({ apiToken }: Ctx, asked: readonly NamedKind[] | undefined): readonly NamedKind[] {
  if (apiToken === undefined || allows(apiToken.scopes, contract.find)) return asked ?? namedKinds;
  const isCovered = (kind: NamedKind) =>
    ["get", "list"].some((verb) => allows(apiToken.scopes, { name: `${kind}.${verb}`, method: "GET" }));
  const refused = asked?.find((kind) => !isCovered(kind));
  if (refused !== undefined) throw notCovered(`${refused}.list`);
  const kinds = asked ?? namedKinds.filter(isCovered);
  if (kinds.length === 0) throw notCovered(contract.find.name);
  return kinds;
}

export const names: Handlers<typeof contract> = {
  async find(ctx, { texts, kinds: asked }) {
    const kinds = kindsFor(ctx, asked);
    // The empty text is the beginning of every name.
    const distinct = [...new Set(texts ?? [""])];
    const data: NameMatch[] = [];
    for (const kind of new Set(kinds)) data.push(...(await finders[kind](ctx, distinct)));
    const order = new Map(distinct.map((text, at) => [text, at]));
    return { data: data.sort((a, b) => (order.get(a.text) ?? 0) - (order.get(b.text) ?? 0)) };
  },
};
