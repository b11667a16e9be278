import { selectingFlags } from "../../kit/build-command.ts";
import { type CommandGroup, type Commands, type CustomCommand, command } from "../../kit/command-spec.ts";
import { describeNamed } from "../../kit/field-flags.ts";
import type { ImageOwner } from "./download-file.ts";

const savingNote =
  "Saves the file to the current folder under its own name, or to the path given with -o, once it is complete.\nExits with 7 when the file exists.";

export const getFile: CustomCommand = {
  summary: "Download a file",
  description: `${savingNote} For a linked video it prints the URL and exits with 6.`,
  args: [{ name: "id", description: "ID of the file, as shown by posts, events and messages" }],
  flags: [
    { flags: "-o, --output <path>", description: "File or folder to write to, - for stdout" },
    { flags: "--force", description: "Replace an existing file" },
  ],
  examples: ["wcs files get 7", "wcs files get 7 -o minutes.pdf --force", "wcs files get 7 -o - | less"],
  without: selectingFlags,
  run: async (context) => (await import("./download-file.ts")).downloadFile(context),
};

export const files: Commands = { get: getFile };

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
        description: savingNote,
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
