import { pluralize } from "../../../contract/count-text.ts";
import { isHttpUrl } from "../../../contract/http-url.ts";
import { indexedWords } from "../../../core/conversations/query-words.ts";
import { checkCopy, copyInstance } from "../../../store/move/copy-instance.ts";
import { ConditionError, UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { noteDone } from "../../kit/note-done.ts";
import { createOutput } from "../../output/create-output.ts";
import { refusePassword, withoutPassword } from "../../session/database-url.ts";
import { databaseAddress } from "../../session/target.ts";
import { checkDatabase } from "./db-check.ts";
import { databaseOf, watched } from "./db-target.ts";

export async function copy(context: Context): Promise<void> {
  const { terminal } = context;
  const sample = { from: "", to: "", rows: 0, tables: 0, schema: "", seconds: 0, failed_checks: 0 };
  const output = createOutput<typeof sample>({ sample }, context);
  const to = addressOf(context, "to");
  if (to === undefined) throw new UsageError("missing --to", { hint: "name a new file or an empty database" });
  const from = addressOf(context, "from") ?? databaseOf(context);
  if (context.flags.dryRun) {
    const { rows, tables } = await terminal.spin("checking", checkCopy({ from, to }));
    const what = `${pluralize(rows, "row")} in ${pluralize(tables, "table")}`;
    return noteDone(context, `Copied ${what} to ${withoutPassword(to)}.`);
  }
  const since = performance.now();
  const copied = await watched("copying", context, (watch) => copyInstance({ from, to, wordsOf: indexedWords, watch }));
  const seconds = Math.round((performance.now() - since) / 100) / 10;
  // The copy is complete, so Ctrl-C has nothing to undo.
  terminal.signals.release();
  const findings = await terminal.spin("checking", checkDatabase(to, terminal.env));
  const wrong = findings.filter(({ state }) => state === "failed");
  const shown = {
    from: withoutPassword(from),
    to: withoutPassword(to),
    ...copied,
    seconds,
    failed_checks: wrong.length,
  };
  await output.one(shown);
  if (wrong.length > 0)
    throw new ConditionError(
      `all rows were copied, but ${pluralize(wrong.length, "check")} of the copy failed; see wcs db check`,
    );
  terminal.note(
    `Copied ${pluralize(copied.rows, "row")} in ${pluralize(copied.tables, "table")}. The source was not changed; changes made to it meanwhile are not in the copy.`,
  );
}

function addressOf({ flags }: Context, name: "from" | "to"): string | undefined {
  const value = flags[name] as string | undefined;
  if (value === undefined) return undefined;
  refusePassword(value, `--${name}`);
  if (isHttpUrl(value)) throw new UsageError(`--${name} needs a database, not the URL of an instance`);
  return databaseAddress(value);
}
