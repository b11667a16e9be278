import type { AnyOperation } from "../../contract/operation.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Context, Request } from "./command-spec.ts";
import { parseInteger } from "./parse-value.ts";

/** Lets a command get a resource by --reference instead of its ID, and with `collection` several by their IDs. */
export const byReference = (reference: AnyOperation, collection?: AnyOperation) => ({
  flags: [{ flags: "--reference <ref>", description: "Reference, in place of <id>" }],
  alternative(words: readonly string[], flags: Context["flags"], isList?: boolean): Request | undefined {
    if (flags.reference === undefined) return collection && (isList || words[1]) ? byIds(collection, words) : undefined;
    if (isList || words[0]) throw new UsageError("<id> and --reference cannot be used together");
    return { op: reference, input: { reference: flags.reference } };
  },
});

function byIds(op: AnyOperation, words: readonly string[]): Request {
  const ids = words.map((id) => parseInteger(id, "<id>"));
  return { op, input: { ids }, ids };
}
