import type { Group, OwnLeaf } from "../tree.ts";

export const getFile: OwnLeaf = {
  summary: "Download a file",
  description:
    "To the current folder, under its own name, unless -o says where. The file is there when all of it has come. Of a\nvideo elsewhere it tells the URL (exit 6). A file that is there already: exit 7.",
  args: [{ name: "id", description: "ID of the file, as posts, events and messages show it" }],
  flags: [
    { flags: "-o, --output <path>", description: "File or folder to write to, - for stdout", completes: "file" },
    { flags: "--force", description: "Replace a file that is there already" },
  ],
  examples: ["wcs files get 7", "wcs files get 7 -o minutes.pdf --force", "wcs files get 7 -o - | less"],
  run: async (context) => (await import("../files/download.ts")).download(context),
};

export const files: Group = {
  summary: "What was attached to posts, events and messages",
  commands: { get: getFile },
};
