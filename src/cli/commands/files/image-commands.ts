import { type CommandGroup, command } from "../../kit/command-spec.ts";
import { describeNamed } from "../../kit/field-flags.ts";
import type { ImageOwner } from "./download-file.ts";
import { getFile, savesFile } from "./files-commands.ts";

export function imageCommands(image: ImageOwner): CommandGroup {
  const { owner, noun, ops, example } = image;
  const completes = `${owner}s` as const;
  const argument = { field: "id", label: owner } as const;
  const path = `wcs ${completes} ${noun}`;
  return {
    summary: `Manage the ${noun}s of ${completes}`,
    commands: {
      get: {
        ...getFile,
        summary: `Download a ${owner}'s ${noun}`,
        description: savesFile,
        args: [{ name: owner, description: describeNamed(completes), completes }],
        examples: [`${path} get ${example[0]}`, `${path} get 12 -o ${example[1]} --force`],
        run: async (context) => (await import("./download-file.ts")).downloadImage(context, image),
      },
      set: command(ops.set, {
        args: [argument, { field: "files", label: "file" }],
        done: ({ id }) => `Set the ${noun} of ${owner} ${id}.`,
        examples: [`${path} set ${example.join(" ")}`, `${path} set ${example[0]} - < ${example[1]}`],
      }),
      delete: command(ops.delete, {
        args: [argument],
        confirm: ({ id }) => `Delete the ${noun} of ${owner} ${id}?`,
        done: ({ id }) => `Deleted the ${noun} of ${owner} ${id}.`,
      }),
    },
  };
}
