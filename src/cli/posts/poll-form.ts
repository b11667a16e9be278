import { createTableWriter } from "../output/table.ts";
import { cut, widthOf } from "../output/width.ts";
import { wrap } from "../output/wrap.ts";
import type { Form } from "../output/writer.ts";
import { oneLine } from "../plain.ts";
import { type Frame, frameOf } from "./frame.ts";
import { counted, type Post } from "./words.ts";

type Poll = NonNullable<Post["poll"]>;

const barWidth = 20;
const widestTitle = 40;

/** A poll by itself, as voting answers with it. */
export const pollForm: Form = (sheet) => ({
  ...createTableWriter(sheet),
  one: (item) => sheet.terminal.write(`${pollLines(item as unknown as Poll, frameOf(sheet)).join("\n")}\n`),
});

/** The poll with a bar for each choice; what one voted for has a tick. */
export function pollLines({ question, choices, voted, ...poll }: Poll, { paint, width, time }: Frame): string[] {
  const votes = choices.reduce((sum, choice) => sum + choice.votes, 0);
  const about = [
    counted(votes, "vote"),
    ...(poll.type === "multiple" ? ["several choices"] : []),
    ...(poll.anonymous ? ["anonymous"] : []),
    ...(poll.mandatory ? ["mandatory"] : []),
    ...(poll.allow_user_choices ? ["choices may be added"] : []),
    ...(poll.close_at === null ? [] : [`until ${time(poll.close_at)}`]),
  ].join(" · ");
  const titles = choices.map(({ title }) => cut(oneLine(title), Math.min(widestTitle, Math.max(width - 40, 10))));
  const wide = Math.max(...titles.map(widthOf), 1);
  const ids = Math.max(...choices.map(({ id }) => String(id).length), 1);
  return [
    ...wrap(oneLine(question), width).map(paint.strong),
    paint.dim(about),
    ...choices.map(({ id, votes: own }, at) => {
      const title = titles[at]! + " ".repeat(wide - widthOf(titles[at]!));
      const full = votes === 0 ? 0 : Math.round((own / votes) * barWidth);
      const bar = `${paint.key("█".repeat(full))}${paint.dim("░".repeat(barWidth - full))}`;
      const tick = voted.includes(id) ? paint.success("✓") : " ";
      return `${tick} ${paint.dim(String(id).padStart(ids))}  ${title}  ${bar} ${own}`;
    }),
  ];
}
