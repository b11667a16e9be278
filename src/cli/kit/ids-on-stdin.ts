import { UsageError } from "../errors/cli-errors.ts";
import type { Sources } from "../file-io/value-sources.ts";
import type { LineIssues } from "./line-issues.ts";
import { type InputSpec, labelOf, type ParsedLine, takesIds } from "./read-input.ts";

/** Replaces `-` by the lines of stdin where a command takes several IDs or names. */
export async function withIdsOnStdin(
  { spec, line }: { readonly spec: InputSpec; readonly line: ParsedLine },
  sources: Sources,
  issues: LineIssues,
): Promise<ParsedLine> {
  const [first] = spec.args;
  // A line with issues fails anyway, so it does not wait for stdin.
  if (first === undefined || !takesIds(first) || !issues.isEmpty) return line;
  const name = `<${labelOf(first)}>`;
  if ([line.args[0]].flat().length > 1) {
    issues.add(new UsageError(`${name}: - stands for the lines of stdin, and nothing else can be given with it`), [
      name,
    ]);
    return line;
  }
  const read = await issues.gather(name, () => sources.stdin(name, null));
  const ids = read?.split("\n").flatMap((text) => text.trim() || []) ?? [];
  return { ...line, args: [ids, ...line.args.slice(1)], isList: true, isNone: ids.length === 0 };
}
