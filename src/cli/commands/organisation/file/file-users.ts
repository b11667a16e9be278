import type { DatabaseSync } from "node:sqlite";
import type { FileIssues } from "./file-issues.ts";
import { keyOf, type OrganisationEntry } from "./organisation-schema.ts";

type UserEntry = OrganisationEntry<"users">;

/** An entry and its index in the file. */
interface UserPlace {
  readonly at: number;
  readonly entry: UserEntry;
}

export type FileUsers = ReturnType<typeof createFileUsers>;

/** Creates an empty list of the users of a file, indexed by reference and e-mail address. It is on disk, because it may be long. */
export function createFileUsers(scratch: DatabaseSync, issues: FileIssues) {
  scratch.exec(`drop table if exists file_users; drop table if exists labels;
    create table file_users (at integer primary key, entry text not null);
    create table labels (label text primary key, at integer not null) without rowid`);
  const insert = scratch.prepare("insert into file_users values (?, ?)");
  const claim = scratch.prepare("insert or ignore into labels values (?, ?)");
  const owner = scratch.prepare("select at from labels where label = ?");
  const read = scratch.prepare("select at, entry from labels join file_users using (at) where label = ?");
  let count = 0;
  const isFirst = (label: string, at: number, field: string) => {
    if (claim.run(label, at).changes === 1) return true;
    issues.add(["users", at, field], `is already used by users[${owner.get(label)?.at}]`);
    return false;
  };
  const placeOf = (label: string): UserPlace | undefined => {
    const row = read.get(label);
    return row && { at: Number(row.at), entry: JSON.parse(String(row.entry)) };
  };
  return {
    get count(): number {
      return count;
    },
    /** Adds the next entry; adds an issue instead if its label occurred before. */
    add(entry: UserEntry): void {
      const at = count++;
      const { reference, email } = entry;
      if (reference === undefined && email === undefined) return;
      if (reference !== undefined && !isFirst(`reference ${reference}`, at, "reference")) return;
      if (email !== undefined && !isFirst(`email ${keyOf(email)}`, at, "email")) return;
      insert.run(at, JSON.stringify(entry));
    },
    find({ reference, email }: { reference: string | null; email: string | null }): UserPlace | undefined {
      const known = reference === null ? undefined : placeOf(`reference ${reference}`);
      if (known !== undefined || email === null) return known;
      const place = placeOf(`email ${keyOf(email)}`);
      // A user without a reference gets the reference of the file.
      return place?.entry.reference === undefined || reference === null ? place : undefined;
    },
    *[Symbol.iterator](): Generator<UserPlace> {
      for (const { at, entry } of scratch.prepare("select at, entry from file_users order by at").iterate()) {
        yield { at: Number(at), entry: JSON.parse(String(entry)) };
      }
    },
  };
}
