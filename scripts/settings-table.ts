import { z } from "zod";
import { defaults, settingsSchema } from "../src/contract/settings.ts";

interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** Returns the table of all settings, as Markdown. */
export function settingsTable(): string {
  const { properties = {} } = z.toJSONSchema(settingsSchema(), { io: "input", unrepresentable: "any" });
  const rows = Object.entries(properties).map(([key, property]) => {
    const schema = property as JsonSchema;
    const fallback = defaults[key as keyof typeof defaults];
    const shown = fallback === null ? "not set" : `\`${JSON.stringify(fallback)}\``;
    return `| \`${key}\` | ${formatValue(schema)} | ${shown} | ${schema.description ?? ""} |`;
  });
  return ["| Setting | Value | Default | Notes |", "|---|---|---|---|", ...rows].join("\n");
}

function formatValue({ type, format, minimum, maximum, items, anyOf }: JsonSchema): string {
  const [alternative] = (anyOf ?? []).filter((each) => each.type !== "null");
  if (alternative) return formatValue(alternative);
  if (items) return `list of ${formatValue(items)}s`;
  if (minimum !== undefined && maximum !== undefined) return `${type} from ${minimum} to ${maximum}`;
  if (type === "boolean") return "`true` or `false`";
  return format === "uri" ? "URL" : (type ?? "any");
}
