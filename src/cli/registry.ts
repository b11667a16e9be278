import { type GroupName, groupEntries, type Heading } from "../contract/operation-groups.ts";
import type { Commands, Registry, RegistryEntry, TopLevelCommand } from "./kit/command-spec.ts";

/** The top-level commands and groups. Their summaries are here, so that `wcs --help` loads no commands. */
export const registry: Registry = {
  init: command(
    "Start here",
    "Create a database, its first administrator and a profile",
    async () => (await import("./commands/init/init-command.ts")).init,
  ),
  demo: command(
    "Start here",
    "Show a tour of wcs in a temporary database",
    async () => (await import("./commands/demo/demo-command.ts")).demo,
  ),
  serve: command(
    "Start here",
    "Serve the HTTP API and deliver webhooks and mail",
    async () => (await import("./commands/serve/serve-command.ts")).serve,
  ),
  ...groupsUnder("Start here"),
  profile: group(
    "Start here",
    "Manage profiles: saved databases and instances",
    async () => (await import("./commands/profile-commands.ts")).profile,
  ),
  ...groupsUnder("Organisation"),
  export: command(
    "Organisation",
    "Export the organisation to a file",
    async () => (await import("./commands/organisation/organisation-commands.ts")).exportFile,
  ),
  diff: command(
    "Organisation",
    "Compare an organisation file with the current data",
    async () => (await import("./commands/organisation/organisation-commands.ts")).diff,
  ),
  apply: command(
    "Organisation",
    "Apply an organisation file: users, units, user types and webhooks",
    async () => (await import("./commands/organisation/organisation-commands.ts")).apply,
  ),
  ...groupsUnder("Communication"),
  ...groupsUnder("Instance"),
  db: group(
    "Instance",
    "Inspect, back up, restore, copy and migrate the database",
    async () => (await import("./commands/db/db-commands.ts")).db,
  ),
  doctor: command(
    "Instance",
    "Check the configuration, the target and the login for problems",
    async () => (await import("./commands/doctor/doctor-command.ts")).doctor,
  ),
  top: command(
    "Instance",
    "Show the requests, queue, deliveries and latest errors of an instance",
    async () => (await import("./commands/top/top-command.ts")).top,
  ),
  ...groupsUnder("Tools"),
  api: command(
    "Tools",
    "Call any operation by method and path",
    async () => (await import("./commands/api/api-command.ts")).api,
  ),
  alias: group(
    "Tools",
    "Manage your own short names for commands",
    async () => (await import("./commands/alias-commands.ts")).alias,
  ),
  batch: command(
    "Tools",
    "Run a command for every row of a CSV or NDJSON file",
    async () => (await import("./commands/batch/batch-command.ts")).batch,
  ),
  completion: group(
    "Tools",
    "Install or print completion for bash, zsh, fish and PowerShell",
    async () => (await import("./commands/completion/completion-command.ts")).completion,
  ),
  schema: group(
    "Tools",
    "Print the JSON Schema of a file format",
    async () => (await import("./commands/organisation/organisation-commands.ts")).schema,
  ),
  help: command(
    "Tools",
    "Show help for a command or topic",
    async () => (await import("./commands/help-command.ts")).help,
  ),
};

/** Returns the operation groups with this heading. */
function groupsUnder(heading: Heading): Registry {
  const groups = groupEntries.filter(([, entry]) => entry.heading === heading);
  return Object.fromEntries(
    groups.map(([name, { summary }]) => [name, group(heading, summary, () => loadCommands(name))]),
  );
}

async function loadCommands(group: GroupName): Promise<Commands> {
  return (await import(`./commands/${group}/${group}-commands.ts`))[group];
}

function group(heading: Heading, summary: string, load: () => Promise<Commands>): RegistryEntry {
  return { summary, heading, load: async () => ({ summary, commands: await load() }) };
}

function command(heading: Heading, summary: string, load: () => Promise<TopLevelCommand>): RegistryEntry {
  return { summary, heading, load: async () => ({ summary, ...(await load()) }) };
}
