import { globalOptions } from "../../src/cli/terminal/global-options.ts";
import { allOperations } from "../../src/contract/all-operations.ts";
import { commandList, commandPages } from "./command-pages.ts";
import { eventsPage, exitCodesPage, settingsPage } from "./further-pages.ts";
import { page, prose } from "./markdown.ts";
import { operationList, operationPages } from "./operation-pages.ts";
import { runSession } from "./run-session.ts";

/** Returns all pages of `docs/reference/` by their paths in it. The same sources give the same pages. */
export async function referencePages(): Promise<Map<string, string>> {
  const operations = await allOperations();
  const { samples, exchanges, callbacks } = await runSession();
  const commands = await commandPages(samples);
  return new Map([
    ["README.md", overview()],
    ...[...commands].map(([name, text]) => [`commands/${name}`, text] as const),
    ...[...operationPages(operations, exchanges)].map(([name, text]) => [`operations/${name}`, text] as const),
    ["settings.md", settingsPage(samples)],
    ["events.md", eventsPage(callbacks)],
    ["exit-codes.md", exitCodesPage(samples)],
  ]);
}

function overview(): string {
  const options = globalOptions.map(({ flags, description }) => `| \`${flags}\` | ${prose(description)} |`);
  return page(
    "Reference",
    "Generated from the contract and the commands. The outputs were made by running the commands, in one instance at fixed times; `…` stands for secrets, random IDs and lines left out, and lists in responses are cut to two items.",
    "- [Settings](settings.md)\n- [Events](events.md) that webhooks report\n- [Exit codes](exit-codes.md)\n- [HTTP conventions](../api.md)",
    `## Commands\n\n${commandList()}`,
    `## Global options\n\n| Option | Meaning |\n|---|---|\n${options.join("\n")}`,
    `## Operations\n\n${operationList()}`,
  );
}
