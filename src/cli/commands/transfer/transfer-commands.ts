import { selectingFlags } from "../../kit/build-command.ts";
import { type CommandFlag, type CustomCommand, dryRunFlag } from "../../kit/command-spec.ts";

const source = { name: "file", description: "File to read, - for stdin" } as const;
export const writtenFile = {
  name: "file",
  description: "File to write, replaced if it exists; - for stdout (default -)",
  optional: true,
} as const;
export const rowsFormatFlag: CommandFlag = {
  flags: "--format <csv|ndjson>",
  description: "Format of the file (default by its name, else csv)",
  choices: ["csv", "ndjson"],
};
const importFlags: readonly CommandFlag[] = [
  rowsFormatFlag,
  { flags: "--strict", description: "Import nothing if a row is invalid" },
  {
    flags: "--results <file>",
    description:
      "Write the result of each row to a file: line, reference, action, id, errors, in NDJSON also the changes of a dry run",
  },
  {
    ...dryRunFlag,
    description: "Check everything, show the fields that would change (not with --json), change nothing",
  },
];

const importing = `Invalid rows are skipped and reported with line, column and reason (exit 3). Unchanged rows change nothing, so the same
file can be imported again at any time. An empty cell clears the field; without its column, a field keeps its value. An
apostrophe before = + - @, which protects spreadsheets from formulas, is removed, and a line break in a cell becomes a
space where the field has one line. --json prints the numbers of rows by outcome, -o ndjson the result of each row.`;

export const importUsers: CustomCommand = {
  summary: "Create or update users from a CSV or NDJSON file",
  description: `Users are matched by reference, or else by e-mail address. A CSV file begins with a line of column names. Columns, in any
order (* required): reference, first_name*, last_name*, email*, unit* (its reference), user_types (names separated by
semicolons), department, title, phone, birthday, language, timezone, provider (local, or who manages the account),
meta_field_0 to meta_field_4. Case does not matter.

${importing}

--map gives columns with other names their fields: --map 'Employee ID=reference,Mail=email'. A column with commas is in
quotes, as in '"Name, first"=first_name'. With a mapping, other columns are reported and left out. --set gives a field
the same value in all rows. --save-mapping keeps both in a file for --mapping.

--deactivate-missing deactivates the active users of --scope who are not in the file: all, or none when more than
--max-removals are missing (exit 7) or a row was not imported (exit 3). Administrators, service accounts and you are
kept. wcs users reactivate undoes it; an import does not.`,
  args: [source],
  flags: [
    ...importFlags,
    { flags: "--create-user-types", description: "Create missing user types" },
    {
      flags: "--key <reference|email>",
      description: "Field that identifies a user (default reference, else e-mail address)",
      choices: ["reference", "email"],
    },
    {
      flags: "--map <column=field,...>",
      description: "Fields of columns with other names; 'Column=' leaves a column out; can be repeated",
      repeat: true,
    },
    { flags: "--set <field=value>", description: "Value of a field in all rows; can be repeated", repeat: true },
    { flags: "--mapping <file>", description: "Read --map, --set and --key from a saved mapping" },
    { flags: "--save-mapping <file>", description: "Save the mapping as YAML or JSON" },
    { flags: "--deactivate-missing", description: "Deactivate the users of --scope who are not in the file" },
    {
      flags: "--scope <provider:name|unit:id>",
      description: "Users to compare with the file: those of a provider, or of a unit and the units below it",
      completes: ["provider:", "unit:"],
    },
    {
      flags: "--max-removals <number|percent>",
      description: "Deactivate nobody if more users are missing, such as 20 or 5% of the scope (default 5%)",
    },
    { flags: "-y, --yes", description: "Skip the confirmation of --deactivate-missing" },
  ],
  examples: [
    "wcs users import users.csv --dry-run",
    "wcs users import users.csv --results results.csv",
    "wcs users import hr.csv --map 'Employee ID=reference,Mail=email' --set unit=hq --save-mapping hr.yaml",
    "wcs users import hr.csv --mapping hr.yaml --deactivate-missing --scope provider:okta --max-removals 5% --yes",
  ],
  run: async (context) => (await import("./import-users-file.ts")).importUsersFile(context),
};

export const importUnits: CustomCommand = {
  summary: "Create, update and move units from a CSV or NDJSON file",
  description: `Units are matched by reference. A CSV file begins with a line of column names. Columns, in any order (* required):
reference*, name*, parent (its reference; empty for the root), unit_type, description. Parents may follow their children.

${importing}`,
  args: [source],
  flags: importFlags,
  examples: ["wcs units import units.csv --dry-run", "wcs units import units.csv"],
  run: async (context) => {
    const [{ unitKind }, { importFile }] = await Promise.all([import("./import-kinds.ts"), import("./import-file.ts")]);
    await importFile({ kind: unitKind(), options: {} }, context);
  },
};

export const exportUsers: CustomCommand = {
  summary: "Export users to a CSV or NDJSON file for import",
  description: `Exports all active users, sorted by ID, each with the first membership (wcs export has them all). Needs the ability user over
all of them, because the file contains e-mail addresses.`,
  args: [writtenFile],
  flags: [
    rowsFormatFlag,
    {
      flags: "--unit <unit>",
      description: "Export only members of this unit and the units below it",
      completes: "units",
    },
    { flags: "--inactive", description: "Include deactivated users; an import elsewhere creates them active" },
  ],
  examples: ["wcs users export users.csv", "wcs users export --format ndjson | jq -r .email"],
  without: selectingFlags,
  run: async (context) => (await import("./export-users.ts")).writeUsers(context),
};

export const exportUnits: CustomCommand = {
  summary: "Export units to a CSV or NDJSON file for import",
  description: `Exports all units below the root. Each unit is followed by the units below it, sorted by reference. Their departments are
not in the file: wcs export has them, and wcs units department add adds one.`,
  args: [writtenFile],
  flags: [rowsFormatFlag],
  examples: ["wcs units export units.csv"],
  without: selectingFlags,
  run: async (context) => (await import("./export-units.ts")).writeUnits(context),
};
