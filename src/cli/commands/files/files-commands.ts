import type { Commands, CustomCommand } from "../../kit/command-spec.ts";

/** The way in which all downloads save a file. */
export const savesFile =
  "Saves the file to the current folder under its own name, or to the path given with -o, once it is complete.\nExits with 7 when the file exists.";

export const getFile: CustomCommand = {
  summary: "Download a file",
  description: `${savesFile} For a linked video it prints the URL and exits with 6.`,
  args: [{ name: "id", description: "ID of the file, as shown by posts, events and messages" }],
  flags: [
    { flags: "-o, --output <path>", description: "File or folder to write to, - for stdout" },
    { flags: "--force", description: "Replace an existing file" },
  ],
  examples: ["wcs files get 7", "wcs files get 7 -o minutes.pdf --force", "wcs files get 7 -o - | less"],
  run: async (context) => (await import("./download-file.ts")).download(context),
};

export const files: Commands = { get: getFile };

interface WithFiles {
  readonly title: string;
  readonly files: readonly { readonly id: number; readonly name: string }[];
}

export function askAboutFile({ title, files }: WithFiles, { file }: Readonly<Record<string, unknown>>): string {
  const { name } = files.find(({ id }) => id === file) ?? { name: file };
  return `Delete file ${name} of ${title}?`;
}
