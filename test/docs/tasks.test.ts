import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { topics } from "../../src/cli/help/help-topics.ts";
import { newHome } from "../cli/support.ts";
import { receiverOfTest } from "../support/receiver.ts";

/** Returns the commands of the topic, each as the commands of its pipe. */
function commandsOf(topic = ""): string[][] {
  return [...topic.matchAll(/^ {2}(wcs .*)$/gm)].map(([, line = ""]) => line.split(" | "));
}

const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);

it("each line of wcs help tasks works, in the order of the topic", async () => {
  const home = newHome();
  const receiver = await receiverOfTest();
  writeFileSync(
    home.path("people.csv"),
    "first_name,last_name,email,unit\nEva,Dam,eva@example.com,sales\nUlf,Nord,ulf@example.com,sales-dk\n",
  );
  const init = ["init", "--demo", "--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace"];
  await home.wcs([...init, "--db", home.path("staging.db"), "--no-profile"]);
  expect((await home.wcs([...init, "--db", home.path("production.db")])).code).toBe(0);
  for (const name of ["staging", "production"])
    await home.wcs(["profile", "add", name, "--db", home.path(`${name}.db`)]);
  const commands = commandsOf(topics.tasks);
  expect(commands.length).toBeGreaterThan(30);
  // On a terminal, a query sees one page only.
  expect(commands.flat().filter((command) => /list .*--query/.test(command) && !command.includes("--all"))).toEqual([]);
  const failed: object[] = [];
  for (const pipe of commands) {
    let stdin = "";
    for (const command of pipe.filter((part) => part.startsWith("wcs "))) {
      const words = wordsOf(command).slice(1);
      const placed = words.map((word) => (["people.csv", "bo"].includes(word) ? home.path(word) : word));
      const args = placed.map((word) => (word === "https://ci.example.com/hook" ? receiver.url : word));
      const { code, stdout, stderr } = await home.wcs(args, { stdin });
      // The lines before changed production, and its mails wait for a mail server.
      const isCheck = command.includes("--exit-code") || command === "wcs doctor";
      if (code !== (isCheck ? 9 : 0)) failed.push({ command, code, stderr });
      stdin = stdout;
    }
  }
  expect(failed).toEqual([]);
});
