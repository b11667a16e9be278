import { type GroupName, groupEntries, type Heading } from "../contract/operation-groups.ts";
import type { Commands, Registry, RegistryEntry, TopLevelCommand } from "./kit/command-spec.ts";

const organisation = () => import("./commands/organisation/organisation-commands.ts");

/** The top-level commands and groups. Their summaries are here, so that `wcs --help` loads no commands. */
export const registry: Registry = {
  ...under("Start here", {
    init: ["Create a database, its first administrator and a profile", () => import("./commands/init/init-command.ts")],
    demo: ["Show a tour of wcs in a temporary database", () => import("./commands/demo/demo-command.ts")],
    serve: ["Serve the HTTP API and deliver webhooks and mail", () => import("./commands/serve/serve-command.ts")],
  }),
  ...groupsUnder("Start here"),
  ...under("Start here", {
    profile: ["Manage profiles: saved databases and instances", () => import("./commands/profile-commands.ts")],
  }),
  ...groupsUnder("Organisation"),
  ...under("Organisation", {
    export: ["Export the organisation to a file", organisation],
    diff: ["Compare an organisation file with the current data", organisation],
    apply: ["Apply an organisation file: users, units, user types and webhooks", organisation],
  }),
  ...groupsUnder("Communication"),
  ...groupsUnder("Instance"),
  ...under("Instance", {
    db: ["Inspect, back up, restore, copy and migrate the database", () => import("./commands/db/db-commands.ts")],
    doctor: [
      "Check the configuration, the target and the login for problems",
      () => import("./commands/doctor/doctor-command.ts"),
    ],
    top: [
      "Show the requests, queue, deliveries and latest errors of an instance",
      () => import("./commands/top/top-command.ts"),
    ],
  }),
  ...groupsUnder("Tools"),
  ...under("Tools", {
    api: ["Call any operation by method and path", () => import("./commands/api/api-command.ts")],
    alias: ["Manage your own short names for commands", () => import("./commands/alias-commands.ts")],
    batch: ["Run a command for every row of a CSV or NDJSON file", () => import("./commands/batch/batch-command.ts")],
    completion: [
      "Install or print completion for bash, zsh, fish and PowerShell",
      () => import("./commands/completion/completion-command.ts"),
    ],
    schema: ["Print the JSON Schema of a file format", organisation],
    help: ["Show help for a command or topic", () => import("./commands/help-command.ts")],
  }),
};

/** Returns the operation groups with this heading. */
function groupsUnder(heading: Heading): Registry {
  const groups = groupEntries.filter(([, entry]) => entry.heading === heading);
  return Object.fromEntries(
    groups.map(([name, { summary }]) => [name, entryOf(heading, summary, () => loadCommands(name))]),
  );
}

async function loadCommands(group: GroupName): Promise<Commands> {
  return (await import(`./commands/${group}/${group}-commands.ts`))[group];
}

type Loaded = TopLevelCommand | Commands;

/** Returns further commands and groups, each with its summary and the module that exports it by its name. */
function under<N extends string>(
  heading: Heading,
  entries: { readonly [K in N]: readonly [summary: string, load: () => Promise<Readonly<Record<NoInfer<K>, Loaded>>>] },
): Registry {
  return Object.fromEntries(
    (Object.keys(entries) as N[]).map((name) => {
      const [summary, load] = entries[name];
      return [name, entryOf(heading, summary, async () => (await load())[name])];
    }),
  );
}

function entryOf(heading: Heading, summary: string, load: () => Promise<Loaded>): RegistryEntry {
  const loadEntry = async () => {
    const loaded = await load();
    return isCommand(loaded) ? { summary, ...loaded } : { summary, commands: loaded };
  };
  return { summary, heading, load: loadEntry };
}

const isCommand = (loaded: Loaded): loaded is TopLevelCommand => typeof loaded.run === "function";
