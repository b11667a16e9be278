import { isGroup } from "../../src/cli/kit/command-spec.ts";
import { execute } from "../../src/cli/main.ts";
import { registry } from "../../src/cli/registry.ts";
import { leavesOf } from "../manual.ts";
import { fence, firstLines, page } from "./markdown.ts";
import { referenceTerminal } from "./reference-terminal.ts";
import type { Sample } from "./run-session.ts";

/** Commands that the session does not run, each with the reason. */
const withoutOutput: Readonly<Record<string, string>> = {
  demo: "It tells a tour, with times that differ.",
  serve: "It runs until it is stopped, and logs to stderr.",
  "auth 2fa enable": "It asks for the password and a code of the app.",
  "auth 2fa disable": "It needs a second factor.",
  "auth 2fa recovery-codes": "It needs a second factor.",
  "auth password reset": "It needs the link of a mail.",
  "webhooks listen": "It runs until it is stopped.",
  "conversations follow": "It runs until it is stopped.",
  "completion bash": "It prints a script of the shell.",
  "completion zsh": "It prints a script of the shell.",
  "completion fish": "It prints a script of the shell.",
  "completion powershell": "It prints a script of the shell.",
  "completion install": "It changes the start-up file of the shell.",
};

const maxLines = 40;

/** Returns a page for each top-level command or group, by file name. Throws when a command has no sample. */
export async function commandPages(samples: readonly Sample[]): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const [name, { summary, load }] of Object.entries(registry)) {
    const entry = await load();
    const sections = await Promise.all(leavesOf([name], entry).map(({ path }) => describe(path, samples)));
    pages.set(`${name}.md`, page(`wcs ${name}`, isGroup(entry) ? `${summary}.` : "", ...sections));
  }
  return pages;
}

/** Returns the list of all pages, by the headings of `wcs --help`. */
export function commandList(): string {
  const headings = Map.groupBy(Object.entries(registry), ([, { heading }]) => heading);
  return [...headings]
    .map(([heading, entries]) => {
      const items = entries.map(([name, { summary }]) => `- [\`wcs ${name}\`](commands/${name}.md): ${summary}`);
      return [`### ${heading}`, "", ...items].join("\n");
    })
    .join("\n\n");
}

async function describe(path: readonly string[], samples: readonly Sample[]): Promise<string> {
  const name = path.join(" ");
  const heading = path.length > 1 ? `## wcs ${name}\n\n` : "";
  return `${heading}${fence("text", await helpOf(path))}\n\n${exampleOf(name, path, samples)}`;
}

function exampleOf(name: string, path: readonly string[], samples: readonly Sample[]): string {
  const sample = samples.find(({ words, code }) => code === 0 && path.every((word, at) => words[at] === word));
  const reason = withoutOutput[name];
  if ((sample === undefined) === (reason === undefined))
    throw new Error(`wcs ${name} must have a line in session.txt, or else a reason in command-pages.ts.`);
  if (sample === undefined) return `No example with its output: ${reason}`;
  return fence("console", `$ ${sample.line}\n${firstLines(sample.output, maxLines)}`);
}

/** Returns the help of a command without the global options, which are the same for all. */
async function helpOf(path: readonly string[]): Promise<string> {
  let help = "";
  const add = (part: string) => {
    help += part;
  };
  const code = await execute([...path, "--help"], { ...(await referenceTerminal({ add, env: {} })), width: 80 });
  if (code !== 0) throw new Error(`wcs ${path.join(" ")} --help ended with ${code}.`);
  return help.slice(0, help.indexOf("\nGlobal options:"));
}
