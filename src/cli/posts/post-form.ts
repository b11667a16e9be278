import type { OutputOf } from "../../contract/operation.ts";
import type { posts } from "../../contract/posts.ts";
import { markdownLines } from "../markdown/markdown.ts";
import { createTableWriter } from "../output/table.ts";
import { wrap } from "../output/wrap.ts";
import type { Form, Sheet } from "../output/writer.ts";
import { oneLine } from "../plain.ts";

type Post = OutputOf<typeof posts.get>;
type Poll = NonNullable<Post["poll"]>;

const widest = 100;
const barLength = 20;

/** One post: what is known of it, its text, and its poll. */
export const postForm: Form = (sheet) => {
  const table = createTableWriter(sheet);
  const { terminal } = sheet;
  return {
    ...table,
    async one(item) {
      const { body, poll, participation: _, mentions, comments, ...post } = item as unknown as Post;
      const { latest, ...counts } = comments;
      const names = mentions.map(({ name }) => name).join(", ");
      await table.one({ ...post, mentions: names, comments: counts });
      if (body !== "") await terminal.write(`\n${(await markdownLines(body, lookOf(sheet))).join("\n")}\n`);
      if (poll) await terminal.write(`\n${pollLines(poll, sheet).join("\n")}\n`);
      if (latest && !latest.deleted) {
        const said = wrap(oneLine(`${latest.author.name}: ${latest.body}`), lookOf(sheet).width);
        await terminal.write(`\n${terminal.paint.dim("Latest comment")}\n${said.join("\n")}\n`);
      }
    },
  };
};

/** A poll by itself, as voting answers with it. */
export const pollForm: Form = (sheet) => ({
  ...createTableWriter(sheet),
  one: (item) => sheet.terminal.write(`${pollLines(item as unknown as Poll, sheet).join("\n")}\n`),
});

function lookOf({ terminal }: Sheet) {
  const width = terminal.stdoutIsTerminal ? Math.min(terminal.width, widest) : Number.POSITIVE_INFINITY;
  return { width, paint: terminal.paint };
}

/** The question, and a line for each choice: its ID, its votes as a bar, and whether they are one's own. */
function pollLines({ question, choices, voted }: Poll, { terminal }: Sheet): string[] {
  const { paint } = terminal;
  const most = Math.max(1, ...choices.map(({ votes }) => votes));
  const wide = Math.max(...choices.map(({ id }) => String(id).length), 0);
  const digits = String(most).length;
  const lines = choices.map(({ id, title, votes }) => {
    const bar = "█".repeat(Math.round((votes / most) * barLength)).padEnd(barLength);
    const mine = voted.includes(id) ? paint.strong("✓") : " ";
    return `${String(id).padStart(wide)} ${mine} ${paint.value(bar)} ${String(votes).padStart(digits)}  ${oneLine(title)}`;
  });
  return [paint.strong(oneLine(question)), ...lines];
}
