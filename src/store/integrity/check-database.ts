import { sql } from "kysely";
import type { Database } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import { eventRules, fileRules, postRules, readerRules } from "./content-rules.ts";
import { conversationRules, searchRules } from "./conversation-rules.ts";
import { firstDamage } from "./find-damage.ts";
import { groupRules, unitRules, userRules } from "./people-rules.ts";
import { findIssues, type IntegrityIssues, type IntegrityRule, maxExamples, type Recount } from "./recount.ts";

/** A check of the database. Fails when the database is too corrupt to answer. */
export interface Check {
  readonly name: string;
  /** Message when no issue is found. */
  readonly passed: string;
  run(database: Database): Promise<IntegrityIssues>;
}

/** Checks of the SQLite file. PostgreSQL checks its own files. */
export const fileChecks: readonly Check[] = [
  {
    name: "integrity",
    passed: "Pages and indexes are intact.",
    async run({ reader }) {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(${sql.lit(maxExamples)})`.execute(
        reader,
      );
      const found = rows.map((row) => firstDamage(row.integrity_check)).filter((said) => said !== "ok");
      return { total: found.length, examples: found };
    },
  },
  {
    name: "foreign keys",
    passed: "All foreign keys refer to existing rows.",
    async run({ reader }) {
      const { rows } = await sql<{ child: string; id: number | null; parent: string; total: number }>`
        select "table" as child, rowid as id, parent, count(*) over () as total
        from pragma_foreign_key_check limit ${sql.lit(maxExamples)}`.execute(reader);
      const examples = rows.map(
        ({ child, id, parent }) =>
          `${id === null ? "a row" : `row ${id}`} of ${child} refers to a missing row of ${parent}`,
      );
      return { total: rows[0]?.total ?? 0, examples };
    },
  },
];

/** Checks that redundant data agrees, for a database with this program's schema, by few queries each. */
export const contentChecks: readonly Check[] = [
  recounted("units", "Paths, levels and counts are correct.", () => unitRules),
  recounted("users", "First units, memberships and departments agree.", () => userRules),
  recounted("groups", "Member counts are correct, and each group has an administrator.", () => groupRules),
  recounted("posts", "Counts of comments, marks, answers and votes are correct.", () => postRules),
  recounted("events", "Counts of answers and first dates are correct.", () => eventRules),
  recounted("readers", "Feeds contain exactly the posts and events of their readers.", () => readerRules),
  recounted("conversations", "Positions, participants and unread counts agree.", () => conversationRules),
  recounted("search", "The search index contains only existing messages.", ({ reader }) =>
    searchRules(isPostgres(reader) ? "message_id" : "rowid"),
  ),
  recounted("files", "Contents are complete, and each file has an owner.", () => fileRules),
];

type Probes = (database: Database) => readonly (Recount | IntegrityRule)[];

function recounted(name: string, passed: string, probes: Probes): Check {
  return {
    name,
    passed,
    async run(database) {
      const found: IntegrityIssues[] = [];
      for (const probe of probes(database)) found.push(await findIssues(database.reader, probe));
      return {
        total: found.reduce((sum, { total }) => sum + total, 0),
        examples: found.flatMap(({ examples }) => examples).slice(0, maxExamples),
      };
    },
  };
}
