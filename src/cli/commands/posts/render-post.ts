import type { Item } from "../../output/item.ts";
import { pageOrWrite } from "../../output/page-or-write.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { type Frame, frameOf } from "../../output/text-layout.ts";
import { markdownLines } from "../../terminal/markdown/markdown.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { kindOf, readersOf, type ShownPost, signsOf, stateOf } from "./post-labels.ts";
import { commentLines } from "./render-comments.ts";
import { pollLines } from "./render-poll.ts";
import { eventLines, footLines } from "./render-post-parts.ts";

export const postList: Renderer<ShownPost> = (sheet) => {
  const columns = ["id", "when", "kind", "title", "author", "for", "about"];
  const table = createTableWriter({ ...sheet, columns, isUncut: (name) => name === "id" || name === "when" });
  const { time } = frameOf(sheet);
  const rowOf = (post: ShownPost): Item => ({
    id: post.id,
    when: time(post.publish.published_at ?? post.publish.publish_on ?? post.publish.updated_at),
    kind: kindOf(post),
    title: `${post.seen_by_user ? "" : "• "}${post.title}`,
    author: post.author.name,
    for: readersOf(post),
    about: [stateOf(post, time), ...signsOf(post, time)].filter(Boolean).join(", "),
  });
  return { ...table, page: (items) => table.page(items.map(rowOf)) };
};

/** Renders one post for reading, in the pager when it is longer than the screen. */
export const postForm: Renderer<ShownPost> = (sheet) => {
  const frame = frameOf(sheet);
  return {
    ...createTableWriter(sheet),
    async one(item) {
      await pageOrWrite(`${(await postLines(item, frame)).join("\n")}\n`, sheet.terminal);
    },
  };
};

async function postLines(post: ShownPost, frame: Frame): Promise<string[]> {
  const parts = [
    headLines(post, frame),
    post.event === null ? [] : eventLines(post.event, frame),
    post.body.trim() === "" ? [] : await markdownLines(post.body, frame),
    post.poll === null ? [] : pollLines(post.poll, frame),
    footLines(post, frame),
    post.comments.latest === null ? [] : commentLines(post.comments.latest, frame),
  ];
  return parts.filter((lines) => lines.length > 0).flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function headLines(post: ShownPost, { paint, width, time }: Frame): string[] {
  const { published_at, updated_at } = post.publish;
  const when = time(published_at ?? updated_at);
  const about = [kindOf(post), sanitizeLine(post.author.name), when, `for ${readersOf(post)}`, `ID ${post.id}`];
  const signs = [stateOf(post, time), ...signsOf(post, time), ...(post.has_unseen_mention ? ["mentions you"] : [])];
  return [
    ...wrapText(sanitizeLine(post.title), width).map(paint.strong),
    ...wrapText(about.join(" · "), width).map(paint.dim),
    ...wrapText(signs.filter(Boolean).join(" · "), width).filter(Boolean),
  ];
}
