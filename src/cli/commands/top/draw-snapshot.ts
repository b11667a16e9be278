import { bytesAsText } from "../../output/format-bytes.ts";
import { timesIn } from "../../output/format-value.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { cut } from "../../terminal/text-width.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { Snapshot } from "./take-snapshot.ts";

export function drawSnapshot(snapshot: Snapshot, terminal: Terminal, zone: string | undefined): string {
  const { paint, width } = terminal;
  const { short, full } = timesIn(zone);
  const sections: [title: string, lines: readonly string[]][] = [
    ["Requests", requestLines(snapshot, short)],
    ["Queue", queueLines(snapshot)],
    ["Webhooks, last hour", webhookLines(snapshot)],
    [
      "Latest errors",
      snapshot.errors.map(
        ({ created_at, webhook, event, status, error }) =>
          `${full(created_at).slice(11, 19)}  ${status}  ${event}  ${webhook}${error ? `: ${error}` : ""}`,
      ),
    ],
    ["Not available", snapshot.missing.flatMap((line) => wrapText(line, width - 2))],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) =>
      [paint.strong(title), ...lines.map((line) => cut(`  ${sanitizeLine(line)}`, width))].join("\n"),
    )
    .join("\n\n")
    .concat("\n");
}

function requestLines({ requests, process }: Snapshot, time: (seconds: number) => string): string[] {
  if (requests === null || process === null) return [];
  const { count, failed, per_second, average_ms, routes } = requests;
  const rate = per_second === undefined ? "" : `${per_second}/s, `;
  return [
    `${rate}${average_ms} ms on average, ${count} in all, ${failed} failed (5xx)`,
    `running since ${time(process.started_at)}, memory ${bytesAsText(process.memory_bytes)}`,
    ...routes.map((each) => {
      const average = ((each.seconds / Math.max(each.count, 1)) * 1000).toFixed(1);
      return `${String(each.count).padStart(8)}  ${average.padStart(8)} ms  ${each.method} ${each.route}`;
    }),
  ];
}

function queueLines({ queue }: Snapshot): string[] {
  if (queue === null) return [];
  const { due, later, mails, failed_mails } = queue;
  return [`callbacks: ${due} due, ${later} later; mails: ${mails} waiting, ${failed_mails} failed`];
}

function webhookLines({ webhooks }: Snapshot): string[] {
  if (webhooks?.length === 0) return ["none"];
  return (webhooks ?? []).map(
    ({ id, name, active, succeeded, failed }) =>
      `${String(succeeded).padStart(8)} ok  ${String(failed).padStart(6)} failed  ${id} ${name}${active ? "" : " (disabled)"}`,
  );
}
