import { markdownLines } from "../markdown/markdown.ts";
import { createTableWriter } from "../output/table.ts";
import { wrap } from "../output/wrap.ts";
import type { Form } from "../output/writer.ts";
import { hasPager } from "../pager.ts";
import type { Item } from "../paging.ts";
import { oneLine } from "../plain.ts";
import { commentLines } from "./comment-form.ts";
import { type Frame, frameOf } from "./frame.ts";
import { pollLines } from "./poll-form.ts";
import { eventLines, footLines } from "./post-parts.ts";
import { kindOf, type Post, readersOf, signsOf, stateOf } from "./words.ts";

/** Posts in a line each; a dot before what is new. */
export const postList: Form = (sheet) => {
  const table = createTableWriter({ ...sheet, columns: ["id", "when", "kind", "title", "author", "for", "about"] });
  const { time } = frameOf(sheet);
  const rowOf = (post: Post): Item => ({
    id: post.id,
    when: time(post.publish.published_at ?? post.publish.publish_on ?? post.publish.updated_at),
    kind: kindOf(post),
    title: `${post.seen_by_user ? "" : "• "}${post.title}`,
    author: post.author.name,
    for: readersOf(post),
    about: [stateOf(post, time), ...signsOf(post, time)].filter(Boolean).join(", "),
  });
  return { ...table, page: (items) => table.page((items as unknown as readonly Post[]).map(rowOf)) };
};

/** One post as it is read. */
export const postForm: Form = (sheet) => {
  const frame = frameOf(sheet);
  return {
    ...createTableWriter(sheet),
    async one(item) {
      const { terminal } = sheet;
      const text = `${(await postLines(item as unknown as Post, frame)).join("\n")}\n`;
      const isLong = text.split("\n").length > terminal.height;
      if (terminal.stdoutIsTerminal && isLong && hasPager(terminal.env)) await terminal.page(text);
      else await terminal.write(text);
    },
  };
};

async function postLines(post: Post, frame: Frame): Promise<string[]> {
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

/** The title, who wrote it, when and for whom, and what has to be known about it. */
function headLines(post: Post, { paint, width, time }: Frame): string[] {
  const { published_at, updated_at } = post.publish;
  const when = time(published_at ?? updated_at);
  const about = [kindOf(post), oneLine(post.author.name), when, `for ${readersOf(post)}`, `ID ${post.id}`];
  const signs = [stateOf(post, time), ...signsOf(post, time), ...(post.has_unseen_mention ? ["mentions you"] : [])];
  return [
    ...wrap(oneLine(post.title), width).map(paint.strong),
    ...wrap(about.join(" · "), width).map(paint.dim),
    ...wrap(signs.filter(Boolean).join(" · "), width).filter(Boolean),
  ];
}
