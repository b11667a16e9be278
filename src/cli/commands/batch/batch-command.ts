import type { TopLevelCommand } from "../../kit/command-spec.ts";
import { rowsFormatFlag } from "../transfer/transfer-commands.ts";

export const batch: TopLevelCommand = {
  description: `{column} in the command stands for the value of the row in this column. All rows run in this process, on one connection.
Rows that fail are reported, and the others still run (exit 3); a lost login or an unreachable instance stops the batch.

With --results, the result of each row is added to a file as it is known. The next run with the same file and target skips the
rows that are done, so an interrupted batch can be resumed. A row whose result is unknown, because the batch was killed or the answer was lost,
runs again; what it creates or sends is not repeated within 24 hours.

A value must not begin with -, except in --flag={column}, nor with @ where @file is read.
In JSON, a value in quotes stays one text, as in --data '{"title": "{title}"}', and one without quotes must be JSON itself.`,
  args: [
    { name: "file", description: "File with the rows, - for stdin" },
    { name: "command", many: true, description: "Command to run, after --, without wcs", completes: "command" },
  ],
  flags: [
    rowsFormatFlag,
    {
      flags: "--concurrency <n>",
      description: "Number of rows at a time, 1 to 16 (default 1: in the order of the file)",
    },
    { flags: "--results <file>", description: "Add the result of each row to a file, and skip the rows done there" },
    { flags: "-n, --dry-run", description: "Check each command without changing anything" },
  ],
  examples: [
    "wcs batch titles.csv -- users update {id} --title {title}",
    "wcs batch leavers.csv --dry-run -- users deactivate {email} --yes",
    "wcs batch members.csv --results done.ndjson -- groups member add {group} {email}",
    "wcs batch ids.ndjson -o ndjson -- users get {id} | jq .output.name",
  ],
  prints: true,
  run: async (context) => (await import("./run-batch.ts")).runBatch(context),
};
