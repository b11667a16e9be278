import { selectingFlags } from "../../kit/build-command.ts";
import type { CommandFlag, Commands, TopLevelCommand } from "../../kit/command-spec.ts";
import { createOutput, jsonUnlessAsked } from "../../output/create-output.ts";
import { writtenFile } from "../transfer/transfer-commands.ts";

const source = { name: "file", description: "Organisation file, - for stdin" } as const;
const prune: CommandFlag = {
  flags: "--prune",
  description: "Delete entries that are not in the sections of the file; users are deactivated",
};

const exportFile: TopLevelCommand = {
  description: `Exports user types, units, users and webhooks to a YAML or JSON file for wcs apply. Entries are identified by reference,
never by ID; user types without a reference by name, users by e-mail address, webhooks by name. The same data gives the
same file. Entries that cannot be identified are omitted and reported (exit 3). Secrets and passwords are not exported.
wcs help organisation describes the file.`,
  args: [writtenFile],
  flags: [
    {
      flags: "--format <yaml|json>",
      description: "Format of the file (default by its name, else yaml)",
      choices: ["yaml", "json"],
    },
    {
      flags: "--only <section,...>",
      description: "Export only these sections: usertypes, units, users, webhooks",
      completes: ["usertypes", "units", "users", "webhooks"],
    },
  ],
  examples: [
    "wcs export acme.yaml",
    "wcs export --only usertypes,units acme.json",
    "wcs export --profile test | wcs apply -",
  ],
  without: selectingFlags,
  run: async (context) => (await import("./export-organisation.ts")).exportOrganisation(context),
};

export { exportFile as export };

export const schema: Commands = {
  organisation: {
    summary: "Print the JSON Schema of an organisation file",
    description: `Exported files name organisation.schema.json beside them. With the schema saved there, editors complete and check the file.`,
    examples: ["wcs schema organisation > organisation.schema.json"],
    prints: true,
    async run(context) {
      const { organisationJsonSchema } = await import("./file/organisation-schema.ts");
      const sample = organisationJsonSchema();
      await createOutput({ sample }, jsonUnlessAsked(context)).one(sample);
    },
  },
};

export const diff: TopLevelCommand = {
  description: `Prints a row for each change that wcs apply would make: action (create, update, move, delete, deactivate), kind, name,
and the changed fields with their values before and after. Nothing is changed.`,
  args: [source],
  flags: [prune, { flags: "--exit-code", description: "Exit 9 if there are differences" }],
  examples: ["wcs diff acme.yaml", "wcs diff acme.yaml --prune --exit-code --json"],
  prints: true,
  run: async (context) => (await import("./apply-organisation.ts")).diffOrganisation(context),
};

export const apply: TopLevelCommand = {
  description: `Creates, updates and moves entries so that they match the file, and prints the changes as rows, like wcs diff. Applying a
file again changes nothing. Fields and entries that are not in the file stay unchanged: a deactivated user becomes active
again when the entry says active: true. If the file has errors, nothing is changed and each error is reported with its
line (exit 3).

--prune asks for confirmation, and then removes entries that are not in the sections of the file: webhooks with their
logs, units (their members and children move to the parent) and user types are deleted; users other than you are
deactivated, which wcs users reactivate undoes. Units without a reference are kept. When more than --max-removals of the
active users or of the units would go, nothing is changed (exit 7); wcs diff --prune shows them.

The secret of a new webhook is shown only once, in its row. New users have no password; wcs users welcome sends them a
mail with a link to set one.`,
  args: [source],
  flags: [
    prune,
    {
      flags: "--max-removals <number|percent>",
      description:
        "Change nothing if --prune would remove more users or units, such as 20 or 5% of them (default 10 or 5%, whichever is more)",
    },
    { flags: "-y, --yes", description: "Skip the confirmation" },
    { flags: "-n, --dry-run", description: "Check everything and show the changes without making them" },
  ],
  examples: ["wcs apply acme.yaml --dry-run", "wcs apply acme.yaml --prune --yes"],
  prints: true,
  run: async (context) => (await import("./apply-organisation.ts")).applyOrganisation(context),
};
