import type { z } from "zod";
import type { events } from "../../../contract/events.ts";
import type { Operation } from "../../../contract/operation.ts";
import { askAbout, type CommandGroup, command, listOf } from "../../kit/command-spec.ts";
import { getFile } from "./files-commands.ts";

/** A post or an event. */
interface WithFiles {
  readonly title: string;
  readonly files: { id: number; name: string; mime: string; size: number; created_at: number }[];
}

/** The operations on the files of posts or events. */
interface FileOperations {
  readonly get: Operation<z.ZodType, z.ZodType<WithFiles>, never, never>;
  readonly add: typeof events.filesAddTo;
  readonly delete: typeof events.fileDelete;
}

export function fileCommands(owner: "post" | "event", ops: FileOperations): CommandGroup {
  const path = `wcs ${owner}s files`;
  const one = owner === "event" ? "an event" : "a post";
  return {
    summary: `Manage the files of ${owner}s`,
    commands: {
      list: command(listOf(ops.get, "files"), {
        items: "files",
        summary: `List the files of ${one}`,
        columns: ["id", "name", "mime", "size", "created_at"],
        examples: [`${path} list 12`],
      }),
      add: command(ops.add, {
        args: [{ field: "id" }, { field: "files", label: "file", many: true, optional: true, flag: true }],
        ...(owner === "event" && { summary: "Add files to an event" }),
        done: ({ id }) => `Added the files to ${owner} ${id}.`,
        examples: [`${path} add 12 agenda.pdf https://vimeo.com/76979871`],
      }),
      delete: command(ops.delete, {
        confirm: askAbout(ops.get, ({ title, files }, { file }) => {
          const { name } = files.find(({ id }) => id === file) ?? { name: file };
          return `Delete file ${name} of ${title}?`;
        }),
        done: ({ file, id }) => `Deleted file ${file} from ${owner} ${id}.`,
      }),
      get: { ...getFile, examples: [`${path} get 7`, `${path} get 7 -o agenda.pdf`] },
    },
  };
}
