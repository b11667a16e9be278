import { timesIn } from "../../output/format-value.ts";
import type { Draw } from "../../output/renderer.ts";

const blocks = " ▁▂▃▄▅▆▇█";

type Part = Readonly<Record<"start" | "succeeded" | "failed", number>>;

export const drawChart: Draw<Part> = (parts, terminal, zone) => {
  const highest = Math.max(...parts.flatMap(({ succeeded, failed }) => [succeeded, failed]), 1);
  const bar = (count: number) =>
    count === 0 ? blocks[0] : blocks[Math.max(1, Math.round((count / highest) * (blocks.length - 1)))];
  const line = (counts: number[]) => counts.map((count) => bar(count)).join("");
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  const succeeded = parts.map((part) => part.succeeded);
  const failed = parts.map((part) => part.failed);
  const width = Math.max(parts.length, 34);
  const first = timesIn(zone).short(parts[0]?.start ?? 0);
  return [
    `succeeded │${terminal.paint.success(line(succeeded).padEnd(width))}│ ${total(succeeded)}`,
    `failed    │${terminal.paint.error(line(failed).padEnd(width))}│ ${total(failed)}`,
    `           ${terminal.paint.dim(`${first}${"now".padStart(width - first.length)}`)}`,
    "",
  ].join("\n");
};
