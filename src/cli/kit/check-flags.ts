import { UsageError } from "../errors/cli-errors.ts";
import { checkZone } from "../output/create-output.ts";
import { formats } from "../terminal/global-options.ts";
import type { CommandFlag, Context } from "./command-spec.ts";
import type { LineIssues } from "./line-issues.ts";
import { parseChoice, parseInteger, splitList } from "./parse-value.ts";
import { attributeOf, longOf } from "./read-input.ts";

/** Adds an issue about a format given to a command that writes a file in one format only, where -o is the path. */
function refuseFormat({ output, json }: Context["flags"], issues: LineIssues): void {
  const way = json === true ? "" : `; write ./${output} for a file of that name`;
  const hint = `it writes one format only, and -o is the path to write to${way}`;
  if (json === true || formats.some((format) => format === output))
    issues.add(
      new UsageError(`${json === true ? "--json" : `-o ${output}`} cannot be used with this command`, { hint }),
      ["-o"],
    );
}

/** Adds issues about the options that all commands share, and about the values of flags that belong to no input field. */
export async function checkFlags(
  flags: readonly CommandFlag[],
  { flags: given, globals }: Context,
  issues: LineIssues,
): Promise<void> {
  const { query, timeout, tz } = globals;
  /** Adds an issue about a value that does not have the notation that help shows for it. */
  const checkNotation = async (notation: string | undefined, text: string, name: string) => {
    if (notation === "n") await issues.gather(name, () => parseInteger(text, name));
    if (notation !== "duration" && notation !== "time") return;
    const { readDuration, readTime } = await import("../time/parse-time.ts");
    const zone = issues.concerns("--tz") ? undefined : tz;
    await issues.gather(name, () => (notation === "time" ? readTime(text, name, zone) : readDuration(text, name)));
  };
  if (flags.some((flag) => flag.flags.startsWith("-o, --output "))) refuseFormat(given, issues);
  await issues.gather("--tz", () => checkZone(tz));
  if (query !== undefined)
    await issues.gather("--query", async () => (await import("../output/jmespath-query.ts")).checkQuery(query));
  if (timeout !== undefined) await checkNotation("duration", timeout, "--timeout");
  for (const flag of flags) {
    const value = given[attributeOf(flag)];
    if (value === undefined) continue;
    const name = longOf(flag);
    const { choices } = flag;
    if (choices !== undefined) {
      const parts = flag.flags.endsWith(",...>") ? splitList(value) : [value].flat();
      await issues.gather(name, () => parts.forEach((part) => void parseChoice(choices, part, name)));
    }
    await checkNotation(/<(\w+)>$/.exec(flag.flags)?.[1], String(value), name);
  }
}
