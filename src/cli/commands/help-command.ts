import { topics } from "../help/help-topics.ts";
import type { CustomCommand } from "../kit/command-spec.ts";

const names = Object.keys(topics);

export const help: CustomCommand = {
  summary: "Show help for a command or topic",
  description: `Topics: ${names.join(", ")}.`,
  args: [{ name: "topic", optional: true, many: true, completes: names }],
  examples: ["wcs help users create", "wcs help exit-codes"],
  async run({ args, terminal, program }) {
    const words = (args.topic ?? []) as string[];
    const topic = words.length === 1 ? topics[words[0] ?? ""] : undefined;
    if (topic) return terminal.write(topic);
    await program.run([...words, "--help"], terminal);
  },
};
