import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { topicTitles } from "../help/topic-titles.ts";
import type { TopLevelCommand } from "../kit/command-spec.ts";

export const help: TopLevelCommand = {
  description: `Topics:\n${Object.entries(topicTitles)
    .map(([name, title]) => `  ${name.padEnd(15)}${title}`)
    .join("\n")}`,
  args: [
    { name: "topic", description: "Words of a command, or a topic", optional: true, many: true, completes: "topics" },
  ],
  examples: ["wcs help users create", "wcs help exit-codes"],
  async run({ args, terminal, program }) {
    const words = (args.topic ?? []) as string[];
    const { topics } = await import("../help/help-topics.ts");
    const [name = ""] = words;
    const topic = words.length === 1 && Object.hasOwn(topics, name) ? topics[name] : undefined;
    if (topic && terminal.stdoutIsTerminal) {
      const { layOutTopic } = await import("../help/lay-out-topic.ts");
      const { pageOrWrite } = await import("../output/page-or-write.ts");
      return pageOrWrite(layOutTopic(topic, terminal.width), terminal);
    }
    if (topic) return terminal.write(topic);
    await program.run([...words, "--help"], terminal).catch((error: unknown) => {
      const isUnknown = error instanceof UsageError && error.hint === undefined && words.length === 1;
      const meant = isUnknown ? suggestName(name, Object.keys(topics)) : undefined;
      if (meant === undefined) throw error;
      throw new UsageError(`unknown topic '${name}'`, { hint: `did you mean 'wcs help ${meant}'?` });
    });
  },
};
