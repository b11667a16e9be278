import type { OutputOf } from "../../../contract/operation.ts";
import type { posts } from "../../../contract/posts.ts";
import type { Renderer } from "../../output/renderer.ts";
import { type Frame, frameOf, indent, textLines } from "../../output/text-layout.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";

type Comment = OutputOf<typeof posts.commentAdd>;

export function commentLines(comment: Comment, { paint, width, time }: Frame): string[] {
  const { id, parent_id, author, body, deleted, created_at } = comment;
  const before = parent_id === null ? "" : indent;
  const about = [time(created_at), String(id), ...(parent_id === null ? [] : [`reply to ${parent_id}`])].join(" · ");
  const text = deleted
    ? [paint.dim("This comment was deleted.")]
    : textLines(body, Math.max(width - before.length, 20));
  const head = `${paint.strong(sanitizeLine(author.name))}  ${paint.dim(about)}`;
  return [head, ...text].map((line) => (line === "" ? "" : before + line));
}

export const commentForm: Renderer<Comment> = (options) => {
  const frame = frameOf(options);
  let begun = false;
  const show = async (comments: readonly Comment[]) => {
    for (const comment of comments) {
      await options.terminal.write(`${begun ? "\n" : ""}${commentLines(comment, frame).join("\n")}\n`);
      begun = true;
    }
  };
  return { page: show, one: (comment) => show([comment]) };
};
