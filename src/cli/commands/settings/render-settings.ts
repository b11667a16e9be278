import { fieldsOf } from "../../../contract/field-spec.ts";
import { settings } from "../../../contract/settings.ts";
import type { Item } from "../../output/item.ts";
import { pageOrWrite } from "../../output/page-or-write.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { explainSetting } from "./explain-setting.ts";

const maxTextWidth = 100;
/** Columns that are needed beside the names. In narrower terminals the meanings are below the names. */
const minTextWidth = 30;

export const settingsPage: Renderer<object> = (options) => {
  const { terminal, cells, header } = options;
  const fields = fieldsOf(settings.set);
  const column = Math.max(...fields.map(({ name }) => name.length)) + 2;
  return {
    ...createTableWriter(options),
    async one(item) {
      const entries = fields.map((field) => {
        const value = cells.human((item as Item)[field.name], field.name);
        if (!header) return `${value}\n`;
        const width = Math.min(terminal.width, maxTextWidth);
        const indent = width - column < minTextWidth ? 2 : column;
        const meaning = wrapText(explainSetting(field), width - indent).map(
          (line) => " ".repeat(indent) + terminal.paint.dim(line),
        );
        return [`${terminal.paint.strong(field.name.padEnd(column))}${value || "-"}`, ...meaning, ""].join("\n");
      });
      await pageOrWrite(entries.join(""), terminal);
    },
  };
};
