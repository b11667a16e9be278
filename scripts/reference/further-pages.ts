import { exitCodes } from "../../src/cli/help/help-topics.ts";
import { defaults } from "../../src/contract/settings.ts";
import { triggers } from "../../src/contract/webhooks.ts";
import { settingsTable } from "../settings-table.ts";
import { fence, page } from "./markdown.ts";
import type { Sample } from "./run-session.ts";

/** Exit codes that a session cannot show, each with the reason. */
const unshown: Readonly<Record<number, string>> = {
  1: "A full disk, or a fault of the program.",
  130: "Ctrl-C, SIGTERM or SIGHUP.",
};

const shown = ({ line, output }: Sample) => fence("console", `$ ${line}\n${output}`);

/** Returns the page of the settings. Throws when one has no sample. */
export function settingsPage(samples: readonly Sample[]): string {
  const examples = Object.keys(defaults).map((key) => {
    const sample = samples.find(
      ({ words: [group, verb, name] }) => group === "settings" && verb === "set" && name === key,
    );
    if (sample === undefined) throw new Error(`The setting ${key} must have a line in session.txt.`);
    return `### ${key}\n\n${shown(sample)}`;
  });
  return page(
    "Settings",
    "Administrators change settings with [`wcs settings set`](commands/settings.md), and a change takes effect within a second on every server. The environment variable `WCS_SETTING_<KEY>`, with dots written as underscores, overrides a setting for one process.",
    settingsTable(),
    "## Examples",
    ...examples,
  );
}

/** Returns the page of the exit codes. Throws when one has neither a sample nor a reason. */
export function exitCodesPage(samples: readonly Sample[]): string {
  const sections = exitCodes.map(([code, meaning]) => {
    const sample = samples.find((each) => each.code === code);
    if (sample === undefined && unshown[code] === undefined)
      throw new Error(`The exit code ${code} must have a line in session.txt.`);
    return `## ${code}\n\n${meaning[0]?.toUpperCase()}${meaning.slice(1)}.\n\n${sample === undefined ? unshown[code] : shown(sample)}`;
  });
  return page(
    "Exit codes",
    "Errors are one line on stderr, with a hint where possible; with `-o json` or `ndjson` they are objects with a `code`.",
    ...sections,
  );
}

/** Returns the page of the events that webhooks report. Throws when no callback of a trigger was recorded. */
export function eventsPage(callbacks: ReadonlyMap<string, string>): string {
  const sections = triggers.map((trigger) => {
    const body = callbacks.get(trigger);
    if (body === undefined) throw new Error(`The session must cause ${trigger}.`);
    return `## ${trigger}\n\n${fence("json", JSON.stringify(JSON.parse(body), null, 2))}`;
  });
  return page(
    "Events",
    "A webhook sends each of these as a POST request to its URL, in the format of [Standard Webhooks](https://www.standardwebhooks.com/):",
    "| Header | Content |\n|---|---|\n| `webhook-id` | ID of the event, the same for all attempts |\n| `webhook-timestamp` | Unix seconds of the attempt |\n| `webhook-signature` | `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; after the secret was rotated, one more for each secret of the last 24 hours, at most five more |",
    "`wcs help webhooks` tells when a failed callback is sent again, and [the guide](../guides/webhooks.md) how to receive them. The bodies below are those of real callbacks.",
    ...sections,
  );
}
