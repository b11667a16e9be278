import type { FileItem } from "../../../contract/file-schemas.ts";
import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { renameErrorFields } from "../../kit/rename-error-fields.ts";
import type { Extent } from "../../kit/walk-list.ts";

/** Reads --limit and --all. */
export function extentIn({ flags, globals }: Context): Extent {
  if (globals.raw && flags.all) throw new UsageError("--raw and --all cannot be used together");
  return {
    all: flags.all === true,
    limit: flags.limit === undefined ? undefined : parseInteger(flags.limit, "--limit"),
  };
}

/** Returns the words of a positional that takes the rest of the line. */
export const wordsIn = (given: string | string[] | undefined): string[] => [given ?? []].flat();

/** Arguments and flags for input fields whose flag has another name. */
const names: Readonly<Record<string, string>> = {
  id: "<id>",
  messageId: "<message>",
  message: "<text>",
  recipients: "--to",
  parent_id: "--reply-to",
  participants: "--with",
  starter_message_id: "--around",
  query: "<words>",
};

/** Runs `work` against the selected target. Errors about input fields name the flags and, with `files`, the file. */
export async function withCaller<T>(
  context: Context,
  work: (caller: Caller) => Promise<T>,
  files: readonly FileItem[] = [],
): Promise<T> {
  const { caller } = await context.connect();
  try {
    return await work(caller);
  } catch (error) {
    throw renameErrorFields(error, (field) => {
      const [first = "", index] = field.split(".");
      if (first === "files") return `--file ${files[Number(index)]?.name ?? ""}`.trim();
      return names[first] ?? `--${first}`;
    });
  } finally {
    await caller.close();
  }
}
