import type { OutputOf } from "../../../contract/operation.ts";
import type { posts } from "../../../contract/posts.ts";
import { namesOf } from "../../output/people-names.ts";
import type { Frame } from "../../output/text-layout.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";

export type ShownPost = OutputOf<typeof posts.get>;

const kinds: Readonly<Record<ShownPost["content_type"], string>> = { news: "News", debate: "Debate", event: "Event" };
const most = 5;

export const kindOf = ({ content_type }: ShownPost): string => kinds[content_type];

/** Describes the audience of a post, for example "Sales and below, only Manager". */
export function readersOf({ visibility, sharing, group }: ShownPost): string {
  const { all_units, units, userTypes } = visibility;
  const places = units.map(({ name, falldown }) => ({ name: falldown ? `${name} and below` : name }));
  const whom = all_units ? "everybody" : group ? group.name : places.length > 0 ? namesOf(places, most) : "nobody";
  const only = userTypes.length > 0 ? `, only ${namesOf(userTypes, most)}` : "";
  const shared = sharing.shares.length;
  return sanitizeLine(`${whom}${only}${shared > 0 ? `, shared with ${shared}` : ""}`);
}

/** Describes the publication state: empty for a published post without an end. */
export function stateOf({ publish }: ShownPost, time: Frame["time"]): string {
  const { status, published_at, publish_on, unpublish_on } = publish;
  if (status) return unpublish_on === null ? "" : `until ${time(unpublish_on)}`;
  if (publish_on !== null && published_at === null) return `scheduled for ${time(publish_on)}`;
  return unpublish_on !== null && published_at !== null ? `unpublished since ${time(unpublish_on)}` : "draft";
}

export function signsOf({ important, actively_requires_action, pinned }: ShownPost, time: Frame["time"]): string[] {
  const until = pinned?.until ? ` until ${time(pinned.until)}` : "";
  return [
    ...(important ? ["important"] : []),
    ...(actively_requires_action ? ["requires action"] : []),
    ...(pinned ? [`pinned${until}`] : []),
  ];
}
