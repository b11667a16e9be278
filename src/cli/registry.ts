import { type GroupName, groupEntries, type Heading } from "../contract/operation-groups.ts";
import type { Commands, Registry } from "./kit/command-spec.ts";

/** The top-level commands and groups. Their summaries are here, so that `wcs --help` loads no commands. */
export const registry: Registry = {
  init: {
    summary: "Create a database, its first administrator and a profile",
    heading: "Start here",
    load: async () => (await import("./commands/init/init-command.ts")).init,
  },
  demo: {
    summary: "Show a tour of wcs in a temporary database",
    heading: "Start here",
    load: async () => (await import("./commands/demo/demo-command.ts")).demo,
  },
  serve: {
    summary: "Serve the HTTP API and deliver webhooks and mail",
    heading: "Start here",
    load: async () => (await import("./commands/serve/serve-command.ts")).serve,
  },
  ...groupsUnder("Start here"),
  profile: {
    summary: "Manage profiles: saved databases and instances",
    heading: "Start here",
    load: async () => (await import("./commands/profile-commands.ts")).profile,
  },
  ...groupsUnder("Organisation"),
  export: {
    summary: "Export the organisation to a file",
    heading: "Organisation",
    load: async () => (await import("./commands/organisation/organisation-commands.ts")).exportFile,
  },
  diff: {
    summary: "Compare an organisation file with the current data",
    heading: "Organisation",
    load: async () => (await import("./commands/organisation/organisation-commands.ts")).diff,
  },
  apply: {
    summary: "Apply an organisation file: users, units, user types and webhooks",
    heading: "Organisation",
    load: async () => (await import("./commands/organisation/organisation-commands.ts")).apply,
  },
  ...groupsUnder("Communication"),
  ...groupsUnder("Instance"),
  db: {
    summary: "Inspect, back up, restore, copy and migrate the database",
    heading: "Instance",
    load: async () => (await import("./commands/db/db-commands.ts")).db,
  },
  doctor: {
    summary: "Check the configuration, the target and the login for problems",
    heading: "Instance",
    load: async () => (await import("./commands/doctor/doctor-command.ts")).doctor,
  },
  top: {
    summary: "Show the requests, queue, deliveries and latest errors of an instance",
    heading: "Instance",
    load: async () => (await import("./commands/top/top-command.ts")).top,
  },
  ...groupsUnder("Tools"),
  api: {
    summary: "Call any operation by method and path",
    heading: "Tools",
    load: async () => (await import("./commands/api/api-command.ts")).api,
  },
  alias: {
    summary: "Manage your own short names for commands",
    heading: "Tools",
    load: async () => (await import("./commands/alias-commands.ts")).alias,
  },
  batch: {
    summary: "Run a command for every row of a CSV or NDJSON file",
    heading: "Tools",
    load: async () => (await import("./commands/batch/batch-command.ts")).batch,
  },
  completion: {
    summary: "Install or print completion for bash, zsh, fish and PowerShell",
    heading: "Tools",
    load: async () => (await import("./commands/completion/completion-command.ts")).completion,
  },
  schema: {
    summary: "Print the JSON Schema of a file format",
    heading: "Tools",
    load: async () => (await import("./commands/organisation/organisation-commands.ts")).schema,
  },
  help: {
    summary: "Show help for a command or topic",
    heading: "Tools",
    load: async () => (await import("./commands/help-command.ts")).help,
  },
};

/** Returns the operation groups with this heading. */
function groupsUnder(heading: Heading): Registry {
  const groups = groupEntries.filter(([, group]) => group.heading === heading);
  return Object.fromEntries(
    groups.map(([name, { summary }]) => {
      return [name, { summary, heading, load: async () => ({ summary, commands: await loadCommands(name) }) }];
    }),
  );
}

async function loadCommands(group: GroupName): Promise<Commands> {
  return (await import(`./commands/${group}/${group}-commands.ts`))[group];
}
