// biome-ignore-all format: a table is read by its columns
import { posts } from "../../src/contract/posts.ts";
import type { World } from "./actors.ts";
import type { Line, Scene } from "./permission-table.ts";

/** The things that the lines about posts need. */
export interface PostScene {
  /** News of the administrator for North and below, with a poll; a draft of it; one that was deleted. */
  readonly news: number;
  readonly draft: number;
  readonly deleted: number;
  /** By the member, for Harbour alone. */
  readonly debate: number;
  /** By the administrator for all, with an invitation. */
  readonly event: number;
  readonly choice: number;
  readonly file: number;
  /** By the manager on the news, by the administrator on the debate. */
  readonly comment: number;
  readonly commentOnDebate: number;
}

export async function writePosts({ actors, units }: World): Promise<PostScene> {
  const { administrator, manager, member } = actors;
  const north = { content_type: "news" as const, title: "News", visibility: { units_falldown: [units.north] } };
  const poll = { question: "Which?", choices: [{ title: "This" }, { title: "That" }] };
  const files = [{ type: "youtube" as const, name: "Film", data: "https://www.youtube.com/watch?v=abcdefghijk" }];
  const news = await administrator.call(posts.create, { ...north, poll, files });
  const draft = await administrator.call(posts.create, { ...north, publish: { status: false } });
  const deleted = await administrator.call(posts.create, north);
  await administrator.call(posts.delete, { id: deleted.id });
  const debate = await member.call(posts.create, { content_type: "debate", title: "Debate" });
  const event = await administrator.call(posts.create, {
    content_type: "event",
    title: "Event",
    event: { datetime_start: "2026-06-01T10:00", participation: { enabled: true } },
  });
  const comment = await manager.call(posts.commentAdd, { id: news.id, body: "Comment" });
  const onDebate = await administrator.call(posts.commentAdd, { id: debate.id, body: "Comment" });
  return {
    news: news.id,
    draft: draft.id,
    deleted: deleted.id,
    debate: debate.id,
    event: event.id,
    choice: news.poll!.choices[0]!.id,
    file: news.files[0]!.id,
    comment: comment.id,
    commentOnDebate: onDebate.id,
  };
}

type Input = (scene: Scene) => object;
const news: Input = ({ posts }) => ({ id: posts.news });
const draft: Input = ({ posts }) => ({ id: posts.draft });
const debate: Input = ({ posts }) => ({ id: posts.debate });
const event: Input = ({ posts }) => ({ id: posts.event });
const deleted: Input = ({ posts }) => ({ id: posts.deleted });
const none = () => ({ id: 987654 });
const write = { title: "New", body: "Text" };
const film = [{ type: "youtube", name: "Film", data: "https://www.youtube.com/watch?v=abcdefghijk" }];

/** Readers do it to what they may read. */
const forReaders = (more: object = {}): Line[] => [
  ["news for North", "             yes   yes   yes   404   401   401", (scene) => ({ ...news(scene), ...more })],
  ["a draft", "                    yes   404   404   404   401   401", (scene) => ({ ...draft(scene), ...more })],
  ["one that was deleted", "       410   410   410   404   401   401", (scene) => ({ ...deleted(scene), ...more })],
  ["none", "                       404   404   404   404   401   401", () => ({ ...none(), ...more })],
];

/** Editors do it: here the administrator alone, since the manager has neither `news` nor `calendar`; and authors. */
const forEditors = (more: object = {}): Line[] => [
  ["news for North", "             yes   403   403   404   401   401", (scene) => ({ ...news(scene), ...more })],
  ["a draft", "                    yes   404   404   404   401   401", (scene) => ({ ...draft(scene), ...more })],
  ["the member's debate", "        yes   404   yes   404   401   401", (scene) => ({ ...debate(scene), ...more })],
  ["an event for all", "           yes   403   403   403   401   401", (scene) => ({ ...event(scene), ...more })],
  ["one that was deleted", "       410   410   410   404   401   401", (scene) => ({ ...deleted(scene), ...more })],
  ["none", "                       404   404   404   404   401   401", () => ({ ...none(), ...more })],
];

export const postLines: Record<string, readonly Line[]> = {
  //                                admin manag membr outsd deact attck
  "posts.list": [["", "            yes   yes   yes   yes   401   401", () => ({})]],
  "posts.get": [
    ...forReaders(),
    ["the debate in Harbour", "    yes   404   yes   404   401   401", debate],
    ["an event for all", "         yes   yes   yes   yes   401   401", event],
  ],
  "posts.create": [
    ["news", "                     yes   403   403   403   401   401", () => ({ ...write, content_type: "news" })],
    ["an event", "                 yes   403   403   403   401   401", () => ({ ...write, content_type: "event", event: { datetime_start: "2026-06-01" } })],
    ["a debate at home", "         yes   yes   yes   yes   401   401", () => ({ ...write, content_type: "debate" })],
    ["a debate in Harbour", "      yes   403   yes   403   401   401", ({ units }) => ({ ...write, content_type: "debate", unit: units.harbour })],
    ["a debate for Harbour", "     yes   403   yes   403   401   401", ({ units }) => ({ ...write, content_type: "debate", visibility: { units: [units.harbour] } })],
    ["a debate for all below", "   yes   403   403   403   401   401", ({ units }) => ({ ...write, content_type: "debate", visibility: { units_falldown: [units.harbour] } })],
    ["a debate for all", "         yes   403   403   403   401   401", () => ({ ...write, content_type: "debate", visibility: { all_units: true } })],
  ],
  "posts.update": forEditors({ title: "Changed" }),
  "posts.delete": forEditors(),
  "posts.republish": forEditors(),
  "posts.filesAdd": forEditors({ files: film }),
  "posts.fileDelete": [
    ["of the news", "              yes   403   403   404   401   401", (scene) => ({ ...news(scene), file: scene.posts.file })],
    ["of another post", "          404   404   404   404   401   401", (scene) => ({ ...debate(scene), file: scene.posts.file })],
  ],
  "posts.seen": forReaders(),
  "posts.read": forReaders(),
  "posts.like": forReaders(),
  "posts.unlike": forReaders(),
  "posts.bookmark": forReaders(),
  "posts.unbookmark": forReaders(),
  "posts.mute": forReaders({ mute_rule: 1 }),
  "posts.unmute": forReaders(),
  "posts.vote": [
    ["news for North", "           yes   yes   yes   404   401   401", (scene) => ({ ...news(scene), choices: [scene.posts.choice] })],
    ["without a poll", "           409   404   404   404   401   401", draft],
  ],
  "posts.votes": [
    ["news for North", "           yes   yes   yes   404   401   401", news],
    ["without a poll", "           409   404   404   404   401   401", draft],
  ],
  "posts.readers": forEditors(),
  "posts.participants": [
    ["an event for all", "         yes   403   403   403   401   401", event],
    ["news", "                     409   403   403   404   401   401", news],
    ["a draft", "                  409   404   404   404   401   401", draft],
  ],
  "posts.participate": [
    ["an event for all", "         yes   yes   yes   yes   401   401", (scene) => ({ ...event(scene), answer: "accepted" })],
    ["news", "                     409   409   409   404   401   401", (scene) => ({ ...news(scene), answer: "accepted" })],
  ],
  "posts.unparticipate": [
    ["an event for all", "         yes   yes   yes   yes   401   401", event],
    ["news", "                     409   409   409   404   401   401", news],
  ],
  "posts.commentList": forReaders(),
  "posts.commentAdd": forReaders({ body: "Comment" }),
  "posts.commentDelete": [
    ["of the manager", "           yes   yes   403   404   401   401", (scene) => ({ ...news(scene), comment: scene.posts.comment })],
    ["on the member's debate", "   yes   404   yes   404   401   401", (scene) => ({ ...debate(scene), comment: scene.posts.commentOnDebate })],
    ["on another post", "          404   404   404   404   401   401", (scene) => ({ ...news(scene), comment: scene.posts.commentOnDebate })],
  ],
};
