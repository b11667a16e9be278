import type { OwnLeaf } from "../tree.ts";

export const help: OwnLeaf = {
  summary: "Help on a command or topic",
  description: "Topics: environment, exit-codes, formatting, configuration, webhooks, calendar.",
  args: [
    {
      name: "topic",
      optional: true,
      many: true,
      completes: ["environment", "exit-codes", "formatting", "configuration", "webhooks", "calendar"],
    },
  ],
  examples: ["wcs help users create", "wcs help exit-codes"],
  async run({ args, terminal }) {
    const words = (args.topic ?? []) as string[];
    const { topics } = await import("../topics.ts");
    const topic = words.length === 1 ? topics[words[0]!] : undefined;
    if (topic) return terminal.write(topic);
    const { run } = await import("../program.ts");
    await run([...words, "--help"], terminal);
  },
};
