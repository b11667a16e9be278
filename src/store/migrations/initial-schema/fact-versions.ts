import { columns, table } from "../../schema/table.ts";

const { key, number } = columns;

export const factTables = {
  fact_versions: table({ kind: key.as<"actors" | "settings">().constraint("primary key"), version: number }),
};

/** Versions of facts that servers keep in memory, changed by triggers. Random: a restored counter could return to a known number. */
export const factVersions = (postgres: boolean): string[] => [
  "insert into fact_versions values ('actors', 1), ('settings', 1)",
  ...(postgres ? postgresTriggers : sqliteTriggers()),
];

/** On PostgreSQL each request loads its actor, because one row of all users' versions would make their changes wait. */
const postgresTriggers = [
  `create function change_settings_version() returns trigger language plpgsql as
    'begin update fact_versions set version = random() * 9007199254740991 where kind = ''settings''; return null; end'`,
  `create trigger settings_version after insert or update or delete on settings
    for each statement execute function change_settings_version()`,
];

/** The columns that `loadActor` reads. */
const actorTables: Readonly<Record<string, readonly string[]>> = {
  users: ["admin", "active", "unit_id", "show_birthdays", "token_version", "two_factor_at"],
  memberships: ["user_id", "unit_id"],
  membership_user_types: ["membership_id", "user_type_id"],
  user_types: ["abilities"],
  units: ["path"],
  sessions: ["user_id", "key"],
};
/** New rows of these tables belong to no actor yet. */
const isAddedFirst = new Set(["users", "user_types", "units", "sessions"]);

function sqliteTriggers(): string[] {
  const actors = Object.entries(actorTables).flatMap(([table, columns]) => {
    const differs = columns.map((column) => `old.${column} is not new.${column}`).join(" or ");
    return [
      ...(isAddedFirst.has(table) ? [] : [changing("actors", table, "insert")]),
      changing("actors", table, "delete"),
      changing("actors", table, `update of ${columns.join(", ")}`, `when ${differs}`),
    ];
  });
  const settings = ["insert", "delete", "update"].map((change) => changing("settings", "settings", change));
  return [...actors, ...settings];
}

function changing(kind: string, table: string, change: string, when = ""): string {
  const name = `${table}_${change.split(" ")[0]}_version`;
  return `create trigger ${name} after ${change} on ${table} ${when}
    begin update fact_versions set version = random() & 9007199254740991 where kind = '${kind}'; end`;
}
