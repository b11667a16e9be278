import type { OutputOf } from "../../../contract/operation.ts";
import { tryParseJson } from "../../../contract/parse-json.ts";
import type { webhooks } from "../../../contract/webhooks.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { sanitizeLine, sanitizeText } from "../../terminal/sanitize.ts";

type Entry = OutputOf<typeof webhooks.log>["data"];

export const logEntryForm: Renderer<Entry> = (options) => {
  const { terminal, cells } = options;
  const { paint } = terminal;
  const state = (status: unknown) => (String(status).startsWith("2") ? paint.success : paint.error)(String(status));
  const human = (value: unknown, path: string) => (path === "status" ? state(value) : cells.human(value, path));
  const table = createTableWriter({ ...options, cells: { ...cells, human } });
  return {
    ...table,
    async one({ request, response, ...fields }) {
      await table.one(fields);
      await terminal.write(part("Request", request));
      if (response) await terminal.write(part(response.cut ? "Response (the first 4 KiB)" : "Response", response));
    },
  };

  function part(title: string, { headers, body }: Entry["request"]): string {
    const lines = Object.entries(headers).map(
      ([name, value]) => `${paint.dim(sanitizeLine(name))}: ${sanitizeLine(value)}`,
    );
    return `\n${[paint.strong(title), ...lines, ...(body ? ["", indentJson(body)] : [])].join("\n")}\n`;
  }
};

function indentJson(body: string): string {
  return sanitizeText(JSON.stringify(tryParseJson(body), null, 2) ?? body);
}
