import { referenceNouns } from "../../../contract/field-metadata.ts";
import { maxMatches, names as ops } from "../../../contract/names.ts";
import { type Commands, command, type OperationRun } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";

const columns = ["kind", "id", "name", "detail", "match"] as const;

export const names: Commands = {
  find: command(ops.find, {
    args: [{ field: "texts", label: "text", many: true }],
    columns,
    perform: findNames,
    examples: ["wcs names find Sailing", 'wcs names find "Ada Lovelace" --kinds users', "wcs names find ref:E-1044"],
  }),
};

/** Prints the matches, and says for which texts and kinds there may be more. */
async function findNames({ input, caller, context }: OperationRun<typeof ops.find>): Promise<void> {
  const response = await caller.call(ops.find, input);
  const { data } = response;
  await createOutput({ op: ops.find, columns, items: "names" }, context).list([{ items: data, more: false, response }]);
  for (const same of Map.groupBy(data, ({ kind, text }) => `${kind} ${text}`).values()) {
    const [first] = same;
    if (first === undefined || same.length < maxMatches) continue;
    const called = first.text === "" ? "" : ` called ${first.text}`;
    context.terminal.note(`Showing the first ${same.length} ${referenceNouns[first.kind]}s${called}.`);
  }
}
