import { type ListedKind, referenceNouns } from "../../contract/field-metadata.ts";
import type { Caller, CallOptions } from "../../contract/operation.ts";
import { capitalize } from "../errors/cli-errors.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import type { Dialog } from "./command-spec.ts";

/** Returns the first page of the items to choose from. `keyword` filters conversations. */
type ListItems = (
  caller: Caller,
  options?: CallOptions,
  keyword?: string,
) => Promise<readonly { readonly id: number; readonly name: string }[]>;

export const itemLists: Readonly<Record<ListedKind, ListItems>> = {
  async events(caller, options) {
    const { events } = await import("../../contract/events.ts");
    // Current and future events: starts one day (86,400 s) ago.
    const start = Math.floor(Date.now() / 1000) - 86_400;
    const { hits } = await caller.call(events.list, { start }, options);
    return hits.map(({ id, title }) => ({ id, name: title }));
  },
  async posts(caller, options) {
    const { posts } = await import("../../contract/posts.ts");
    const { data } = await caller.call(posts.list, {}, options);
    return data.map(({ id, title }) => ({ id, name: title }));
  },
  async conversations(caller, options, keyword) {
    const { conversations } = await import("../../contract/conversations.ts");
    const { users } = await import("../../contract/users.ts");
    const [{ data }, me] = await Promise.all([
      caller.call(conversations.list, { keyword }, options),
      caller.call(users.current, {}, options),
    ]);
    return data.map(({ id, title, participants }) => {
      const others = participants.filter((each) => each.id !== me.id).map(({ name }) => name);
      return { id, name: title || others.join(", ") || "nobody else" };
    });
  },
  async sessions(caller, options) {
    const { sessions } = await import("../../contract/sessions.ts");
    const { data } = await caller.call(sessions.list, {}, options);
    return data.map(({ id, user_agent, address, current }) => ({
      id,
      name: [user_agent ?? "unknown program", address, current && "current"].filter(Boolean).join(", "),
    }));
  },
};

/** Asks for an item by a part of its title, or by its ID, which need not be on the first page. */
export async function chooseListed(kind: ListedKind, { caller, terminal }: Dialog): Promise<number> {
  const choices = (await itemLists[kind](caller)).map(({ id, name }) => ({
    name: sanitizeLine(`${id}  ${name}`),
    value: id,
  }));
  return (await terminal.ask()).search(`${capitalize(referenceNouns[kind])}:`, async (text) => {
    const typed = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
    const exact = choices.filter(({ value }) => value === typed);
    if (typed !== undefined) return exact.length > 0 ? exact : [{ name: text, value: typed }];
    return choices.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  });
}
