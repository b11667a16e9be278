import type { CommandFlag, Context, CustomCommand } from "../../kit/command-spec.ts";

const file = { name: "file", completes: "file" } as const;
const prune: CommandFlag = {
  flags: "--prune",
  description: "What is not in the file goes, in the sections that the file has; users are deactivated",
};

/** `wcs export`. */
export const exportFile: CustomCommand = {
  summary: "Write user types, units, users and webhooks as one file that apply reads",
  description: `To a file or to stdout, as YAML or JSON. Everything is named by its reference, user types without one by name, users
without one by e-mail address, webhooks by name; never by ID. The same data makes the same file. What cannot be named
is left out and said (exit 3). Secrets and passwords are never written. wcs help organisation describes the file.`,
  args: [{ ...file, optional: true }],
  flags: [
    {
      flags: "--format <format>",
      description: "yaml or json; else what the name of the file says, else yaml",
      completes: ["yaml", "json"],
    },
    {
      flags: "--only <sections>",
      description: "Only these of usertypes, units, users, webhooks, divided by commas",
      completes: ["usertypes", "units", "users", "webhooks"],
    },
  ],
  examples: [
    "wcs export acme.yaml",
    "wcs export --only usertypes,units acme.json",
    "wcs export --profile test | wcs apply -",
  ],
  run: async (context) => (await import("./export-organisation.ts")).exportOrganisation(context),
};

/** `wcs diff`. */
export const diff: CustomCommand = {
  summary: "Show what apply would do; nothing is changed",
  description: `A row for each difference: action (create, update, move, delete, deactivate), kind, name, and changes with field, before
and after. - is stdin.`,
  args: [file],
  flags: [prune, { flags: "--exit-code", description: "Exit 9 when there are differences" }],
  examples: ["wcs diff acme.yaml", "wcs diff acme.yaml --prune --exit-code --json"],
  prints: true,
  run: async (context) => run("diff", context),
};

/** `wcs apply`. */
export const apply: CustomCommand = {
  summary: "Make user types, units, users and webhooks what a file says",
  description: `Creates, changes and moves what differs, in an order that works; a second time it changes nothing. Only what the file
names is touched: fields that it does not name, and what is not in it, stay. A file with a mistake changes nothing: all
of them are said, with line and place (exit 3). What was done is printed as rows, like those of diff.

--prune takes away what is not in the file, in the sections that it has, and asks before: webhooks with their logs, units
(what is in them goes to the unit above) and user types are deleted; users are deactivated, which can be undone, and
never oneself. Units without a reference stay.

The secret of a webhook that is created is printed once, in its row, as webhooks create does it. New users have no
password yet; users welcome sends them the mail that lets them set one.`,
  args: [file],
  flags: [
    prune,
    { flags: "--yes", description: "Do not ask" },
    { flags: "-n, --dry-run", description: "Check everything, show what would be done, change nothing" },
  ],
  examples: ["wcs apply acme.yaml --dry-run", "wcs apply acme.yaml --prune --yes"],
  prints: true,
  run: async (context) => run("apply", context),
};

async function run(command: "diff" | "apply", context: Context): Promise<void> {
  await (await import("./apply-organisation.ts"))[command](context);
}
