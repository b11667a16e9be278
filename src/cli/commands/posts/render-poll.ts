import { pluralize } from "../../../contract/count-text.ts";
import type { OutputOf } from "../../../contract/operation.ts";
import type { posts } from "../../../contract/posts.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { type Frame, frameOf } from "../../output/text-layout.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { widthOf } from "../../terminal/text-width.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

type Poll = NonNullable<OutputOf<typeof posts.get>["poll"]>;

const maxTitleWidth = 40;

export const pollForm: Renderer<Poll> = (options) => ({
  ...createTableWriter(options),
  one: (item) => options.terminal.write(`${pollLines(item, frameOf(options)).join("\n")}\n`),
});

export function pollLines({ question, choices, voted, ...poll }: Poll, { paint, width, time }: Frame): string[] {
  const votes = choices.reduce((sum, choice) => sum + choice.votes, 0);
  const about = [
    pluralize(votes, "vote"),
    ...(poll.type === "multiple" ? ["several choices"] : []),
    ...(poll.anonymous ? ["anonymous"] : []),
    ...(poll.mandatory ? ["mandatory"] : []),
    ...(poll.allow_user_choices ? ["choices may be added"] : []),
    ...(poll.close_at === null ? [] : [`until ${time(poll.close_at)}`]),
  ].join(" · ");
  const barWidth = width < 60 ? 8 : 20;
  const ids = Math.max(...choices.map(({ id }) => String(id).length), 1);
  const max = Math.min(maxTitleWidth, Math.max(width - barWidth - ids - 12, 10));
  const shown = choices.map((choice) => ({ ...choice, lines: wrapText(sanitizeLine(choice.title), max) }));
  const wide = Math.max(...shown.flatMap(({ lines }) => lines.map(widthOf)), 1);
  return [
    ...wrapText(sanitizeLine(question), width).map(paint.strong),
    paint.dim(about),
    ...shown.flatMap(({ id, lines: [title = "", ...further], votes: own }) => {
      const padding = " ".repeat(wide - widthOf(title));
      const full = votes === 0 ? 0 : Math.round((own / votes) * barWidth);
      const bar = `${paint.key("█".repeat(full))}${paint.dim("░".repeat(barWidth - full))}`;
      const tick = voted.includes(id) ? paint.success("✓") : " ";
      return [
        `${tick} ${paint.dim(String(id).padStart(ids))}  ${title}${padding}  ${bar} ${own}`,
        ...further.map((line) => `${" ".repeat(ids + 4)}${line}`),
      ];
    }),
  ];
}
