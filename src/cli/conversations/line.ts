import type { FileItem } from "../../contract/file-forms.ts";
import type { Caller } from "../../contract/operation.ts";
import { UsageError } from "../failure.ts";
import { namedAs } from "../field-names.ts";
import type { Extent } from "../paging.ts";
import { readScalar } from "../scalars.ts";
import type { Context } from "../tree.ts";

/** An integer as it was typed. */
export const integer = (text: unknown, name: string): number =>
  readScalar({ kind: "integer" }, String(text), name) as number;

/** How much of a list the line asks for. */
export function extentIn({ flags, globals }: Context): Extent {
  if (globals.raw && flags.all) throw new UsageError("--raw and --all exclude each other");
  return {
    all: flags.all === true,
    limit: flags.limit === undefined ? undefined : integer(flags.limit, "--limit"),
  };
}

/** What repeated flags and commas name. */
export const listIn = (given: unknown): string[] =>
  ((given as string[] | undefined) ?? []).flatMap((text) => text.split(",")).filter((text) => text.trim() !== "");

/** Words of a positional that takes the rest of the line. */
export const wordsIn = (given: string | string[] | undefined): string[] => [given ?? []].flat();

/** What the line calls fields of the operations. */
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

/** Does the work of a command on the service that the line names; with `files`, if it sends some. */
export async function withCaller<T>(
  context: Context,
  work: (caller: Caller) => Promise<T>,
  files: readonly FileItem[] = [],
): Promise<T> {
  const { caller } = await context.connect();
  try {
    return await work(caller);
  } catch (error) {
    throw namedAs(error, (field) => {
      const [first = "", index] = field.split(".");
      if (first === "files") return `--file ${files[Number(index)]?.name ?? ""}`.trim();
      return names[first] ?? `--${first}`;
    });
  } finally {
    await caller.close();
  }
}
