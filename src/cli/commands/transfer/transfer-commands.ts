import type { CommandFlag, Context, CustomCommand } from "../../kit/command-spec.ts";

const file = { name: "file", completes: "file" } as const;
const format: CommandFlag = {
  flags: "--format <format>",
  description: "csv or ndjson; else what the name of the file says, else csv",
  completes: ["csv", "ndjson"],
};
const importFlags: readonly CommandFlag[] = [
  format,
  { flags: "--strict", description: "Nothing goes in when one row is bad" },
  {
    flags: "--results <file>",
    description: "Write what became of each row: line, reference, action, id, errors",
    completes: "file",
  },
  { flags: "-n, --dry-run", description: "Check everything, change nothing" },
];

const importing = `Good rows go in, bad ones are left out and named with line, column and reason (exit 3). What is in already
stays unchanged, so the same file can be imported again at any time. An empty cell clears, a missing column leaves as
it was. An apostrophe before = + - @ keeps a spreadsheet from computing and does not count.`;

/** `wcs users import`. */
export const importUsers: CustomCommand = {
  summary: "Create and change users from a file of rows",
  description: `CSV with a line of names, or JSON lines; - is stdin. A user is known by reference, without one by e-mail.
Columns, in any order: reference, first_name*, last_name*, email*, unit* (its reference), user_types (names divided by
semicolons), department, title, phone, birthday, language, timezone, meta_field_0 to meta_field_4.

${importing}`,
  args: [file],
  flags: [...importFlags, { flags: "--create-user-types", description: "Create user types that rows name" }],
  examples: ["wcs users import users.csv --dry-run", "wcs users import users.csv --results results.csv"],
  run: async (context) => importAs("userKind", context),
};

/** `wcs units import`. */
export const importUnits: CustomCommand = {
  summary: "Create, change and move units from a file of rows",
  description: `CSV with a line of names, or JSON lines; - is stdin. A unit is known by reference. Columns, in any order:
reference*, name*, parent (its reference; empty: below the root), unit_type, description. Parents may follow their
children.

${importing}`,
  args: [file],
  flags: importFlags,
  examples: ["wcs units import units.csv --dry-run", "wcs units import units.csv"],
  run: async (context) => importAs("unitKind", context),
};

async function importAs(kind: "userKind" | "unitKind", context: Context): Promise<void> {
  const [kinds, { importFile }] = await Promise.all([import("./import-kinds.ts"), import("./import-file.ts")]);
  await importFile(kinds[kind](), context);
}

/** `wcs users export`. */
export const exportUsers: CustomCommand = {
  summary: "Write users as a file that import reads",
  description: `All active users, by ID, to a file or to stdout. Of several memberships the first is written. Needs the
ability user over all of them, since rows hold e-mail addresses.`,
  args: [{ ...file, optional: true }],
  flags: [
    format,
    { flags: "--unit <id>", description: "Only members of this unit and of those below it", completes: "units" },
    { flags: "--inactive", description: "Deactivated users, too; imported elsewhere they are active" },
  ],
  examples: ["wcs users export users.csv", "wcs users export --format ndjson | jq -r .email"],
  run: async (context) => (await import("./export-users.ts")).exportUsers(context),
};

/** `wcs units export`. */
export const exportUnits: CustomCommand = {
  summary: "Write units as a file that import reads",
  description: "All units below the root, to a file or to stdout: each is followed by those below it, by reference.",
  args: [{ ...file, optional: true }],
  flags: [format],
  examples: ["wcs units export units.csv"],
  run: async (context) => (await import("./export-units.ts")).exportUnits(context),
};
