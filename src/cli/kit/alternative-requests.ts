import type { AnyOperation } from "../../contract/operation.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Context, Request } from "./command-spec.ts";
import { parseInteger } from "./parse-value.ts";

/** The flag that names a resource by its reference instead of its ID. */
export const referenceFlag = { flags: "--reference <ref>", description: "Reference, in place of <id>" } as const;

/** Returns the request that gets a resource by --reference. */
export function byReference(op: AnyOperation, ids: readonly string[], flags: Context["flags"]): Request | undefined {
  if (flags.reference === undefined) return undefined;
  if (ids.length > 0) throw new UsageError("<id> and --reference cannot be used together");
  return { op, input: { reference: flags.reference } };
}

/** Returns the request that gets several resources by their IDs. */
export function byIds(op: AnyOperation, words: readonly string[]): Request | undefined {
  if (words.length < 2) return undefined;
  const ids = words.map((id) => parseInteger(id, "<id>"));
  return { op, input: { ids }, ids };
}
