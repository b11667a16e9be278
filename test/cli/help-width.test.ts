import { expect, it } from "vitest";
import { topicTitles } from "../../src/cli/help/topic-titles.ts";
import { type CommandEntry, isGroup } from "../../src/cli/kit/command-spec.ts";
import { registry } from "../../src/cli/registry.ts";
import { useHome } from "./support.ts";

const home = useHome({ database: false });

/** The words of every group and command. */
async function allPaths(): Promise<string[][]> {
  const below = (path: string[], entry: CommandEntry): string[][] =>
    isGroup(entry)
      ? [path, ...Object.entries(entry.commands).flatMap(([name, child]) => below([...path, name], child))]
      : [path];
  const entries = await Promise.all(
    Object.entries(registry).map(async ([name, { load }]) => below([name], await load())),
  );
  return [[], ...entries.flat()];
}

it.each([80, 120])("every help fits %i columns", async (width) => {
  const wide: string[] = [];
  for (const path of await allPaths()) {
    const { stdout, code } = await home().sit([...path, "--help"], { screen: { width, height: 40 } });
    expect(code).toBe(0);
    for (const line of stdout.split("\n")) if ([...line].length > width) wide.push(`${path.join(" ")}: ${line}`);
  }
  expect(wide).toEqual([]);
});

it.each([80, 120])("every help topic fits %i columns, with all of its words", async (width) => {
  const wide: string[] = [];
  for (const topic of Object.keys(topicTitles)) {
    const { stdout } = await home().sit(["help", topic], { screen: { width, height: 40 } });
    const { stdout: whole } = await home().sit(["help", topic]);
    expect(stdout.replaceAll(" \\\n", "\n").split(/\s+/)).toEqual(whole.split(/\s+/));
    for (const line of stdout.split("\n")) if ([...line].length > width) wide.push(`${topic}: ${line}`);
  }
  expect(wide).toEqual([]);
});

it("a command of a topic that is too wide is broken as a shell reads it", async () => {
  const { stdout } = await home().sit(["help", "tasks"], { screen: { width: 80, height: 40 } });
  expect(stdout).toContain("--only usertypes,units | wcs apply - \\\n      --profile production\n");
});

it("an example that is too wide is broken as a shell reads it", async () => {
  const { stdout } = await home().sit(["posts", "create", "--help"], { screen: { width: 80, height: 40 } });
  expect(stdout).toContain(
    "  $ wcs posts create --content-type news --title 'Tomorrow' --body - \\\n      --publish-on 'tomorrow 8:00' < news.md\n",
  );
});
