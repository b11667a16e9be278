import type { FileItem } from "../../../contract/file-schemas.ts";
import type { Caller } from "../../../contract/operation.ts";
import type { Context } from "../../kit/command-spec.ts";
import { renameErrorFields } from "../../kit/rename-error-fields.ts";

export const wordsIn = (given: string | string[] | undefined): string[] => [given ?? []].flat();

/** Arguments and flags for input fields whose flag has another name. */
const names: Readonly<Record<string, string>> = {
  id: "<id>",
  messageId: "<message>",
  message: "<text>",
  recipients: "--to",
  parent_id: "--reply-to",
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
  }
}
