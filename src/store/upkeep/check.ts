import { sql } from "kysely";
import type { Database } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import { events, files, posts, readers } from "./content.ts";
import { conversations, search } from "./conversations.ts";
import { groups, units, users } from "./people.ts";
import { findMistakes, type Mistakes, type Recount, type Rule } from "./recount.ts";

/** A question to a database: what is wrong. Fails when it is too damaged to answer. */
export interface Check {
  readonly name: string;
  /** What can be said when nothing is. */
  readonly well: string;
  ask(database: Database): Promise<Mistakes>;
}

/** So much damage is told. */
const shown = 3;

/** Of the file; PostgreSQL looks after its own. */
export const fileChecks: readonly Check[] = [
  {
    name: "integrity",
    well: "Pages and indexes are whole.",
    async ask({ reader }) {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(${sql.lit(shown)})`.execute(
        reader,
      );
      const found = rows.map((row) => row.integrity_check.replace(/\s+/g, " ")).filter((said) => said !== "ok");
      return { total: found.length, examples: found };
    },
  },
  {
    name: "foreign keys",
    well: "Rows name only rows that are there.",
    async ask({ reader }) {
      const { rows } = await sql<{ child: string; id: number; parent: string; total: number }>`
        select "table" as child, rowid as id, parent, count(*) over () as total
        from pragma_foreign_key_check limit ${sql.lit(shown)}`.execute(reader);
      const examples = rows.map(({ child, id, parent }) => `row ${id} of ${child} names none of ${parent}`);
      return { total: rows[0]?.total ?? 0, examples };
    },
  },
];

/** What is kept twice agrees, of a database whose schema is that of this program. A few queries each, however much there is. */
export const contentChecks: readonly Check[] = [
  recounted("units", "Paths, levels and counts are as a recount gives them.", () => units),
  recounted("users", "First units, memberships and departments agree.", () => users),
  recounted("groups", "Counts of members are right, and each has an administrator.", () => groups),
  recounted("posts", "Counts of comments, marks, answers and votes are right.", () => posts),
  recounted("events", "Counts of answers and first dates are right.", () => events),
  recounted("readers", "Posts and events are found where their readers look, and nowhere else.", () => readers),
  recounted("conversations", "Positions, participants and what is unread agree.", () => conversations),
  recounted("search", "Only messages that are there are found by their words.", ({ reader }) =>
    search(isPostgres(reader) ? "message_id" : "rowid"),
  ),
  recounted("files", "Contents are whole, and each belongs to something.", () => files),
];

type Probes = (database: Database) => readonly (Recount | Rule)[];

function recounted(name: string, well: string, probes: Probes): Check {
  return {
    name,
    well,
    async ask(database) {
      const found: Mistakes[] = [];
      for (const probe of probes(database)) found.push(await findMistakes(database.reader, probe));
      return {
        total: found.reduce((sum, { total }) => sum + total, 0),
        examples: found.flatMap(({ examples }) => examples).slice(0, shown),
      };
    },
  };
}
