import { UsageError } from "../errors/cli-errors.ts";
import { refuseReaders, type Sources } from "../file-io/value-sources.ts";
import type { LineIssues } from "./line-issues.ts";
import { type InputSpec, labelOf, type ParsedLine, takesIds, wordOf } from "./read-input.ts";

/** Replaces `-` by the lines of stdin where a command takes several IDs or names. */
export async function withIdsOnStdin(
  { spec, line }: { readonly spec: InputSpec; readonly line: ParsedLine },
  sources: Sources,
  issues: LineIssues,
): Promise<ParsedLine> {
  const [first] = spec.args;
  if (first === undefined || !takesIds(first)) return line;
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

/** Leaves the values on stdin out of further checks, and adds an issue when more than one would read it. */
export function noteReaders(places: InputSpec["places"], { options }: ParsedLine, issues: LineIssues): void {
  const { secrets = [], others = [] } = Object.groupBy(places, ({ reads }) =>
    reads === "secret" ? "secrets" : "others",
  );
  // Secrets share stdin: each reads a line.
  const data = options.data === "-" ? "--data" : "";
  const readers = [...others.map(wordOf), secrets.map(wordOf).join(" and "), data].filter(Boolean);
  if (readers.length > 1) issues.add(refuseReaders(readers));
  issues.skip([...places.map(wordOf), data]);
}
