import type { DatabaseSync } from "node:sqlite";
import type { z } from "zod";
import { type Field, fieldOf } from "../../../../contract/field-spec.ts";
import type { Issue } from "../../../../contract/issue-messages.ts";
import { tryParse } from "../../../../contract/parse-input.ts";
import { isRecord } from "../../../../contract/parse-json.ts";
import { suggestName } from "../../../errors/nearest-name.ts";
import { pick } from "../../../output/field-selection.ts";
import type { FileIssues } from "./file-issues.ts";
import {
  forms,
  formVersion,
  keyOf,
  type OrganisationEntry,
  type OrganisationSection,
  sections,
} from "./organisation-schema.ts";
import { createDiskList } from "./scratch-database.ts";

/** The entries of a file. An absent section is left unchanged. */
export type Organisation = {
  readonly [S in Exclude<OrganisationSection, "users">]?: readonly OrganisationEntry<S>[];
} & {
  readonly users?: FileUsers;
  /** Fields that an entry lacks are empty. Otherwise, they are left unchanged. */
  readonly complete: boolean;
};

/** Collects the valid content of a file, and adds an issue for each invalid part. */
export function collectOrganisation(issues: FileIssues, scratch: DatabaseSync) {
  const lists: Partial<Record<OrganisationSection, unknown[]>> = {};
  let users: FileUsers | undefined;
  let complete = false;
  const rejected = new Set<string>();

  /** Adds entries after those that were added before. */
  function addEntries(name: string, entries: readonly unknown[]): void {
    if (!isSection(name)) {
      if (!rejected.has(name)) issues.add([name], unknown(name, ["version", "complete", ...sections]));
      rejected.add(name);
    } else if (name === "users") {
      users ??= createFileUsers(scratch, issues);
      for (const entry of entries) users.add(entryIn(name, entry, users.count, issues) as OrganisationEntry<"users">);
    } else {
      lists[name] ??= [];
      for (const entry of entries) lists[name].push(entryIn(name, entry, lists[name].length, issues));
    }
  }
  function addField(name: string, value: unknown): void {
    if (name === "$schema") return;
    if (name === "version") {
      if (value !== undefined && value !== formVersion) issues.add(["version"], `must be ${formVersion}`);
    } else if (name === "complete") {
      if (typeof value === "boolean") complete = value;
      else issues.add(["complete"], "must be true or false");
    } else if (isSection(name) && !Array.isArray(value)) issues.add([name], "must be a list; an empty list is []");
    else addEntries(name, Array.isArray(value) ? value : []);
  }
  return {
    addEntries,
    addField,
    addFile(value: unknown): void {
      if (isRecord(value)) for (const [name, content] of Object.entries(value)) addField(name, content);
      else issues.add([], `must be an object with ${sections.join(", ")}`);
    },
    get organisation(): Organisation {
      return { ...lists, ...(users && { users }), complete } as Organisation;
    },
  };
}

export const isSection = (name: string): name is OrganisationSection => (sections as readonly string[]).includes(name);

/** Returns the entry without its wrong fields, so that the other fields can be checked, too. */
function entryIn(section: OrganisationSection, value: unknown, at: number, issues: FileIssues): unknown {
  const schema = forms[section]();
  const result = tryParse(schema, value);
  if (result.ok) return result.value;
  const good: Record<string, unknown> = isRecord(value) ? { ...value } : {};
  for (const [name, reasons] of Object.entries(result.fields)) {
    const path = name === "body" ? [] : name.split(".");
    if (path[0] !== undefined) delete good[path[0]];
    const place = [section, at, ...path.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
    const issue = result.issues.find(({ field }) => field === name);
    if (issue && isUnquoted(issue, pick(value, path))) {
      issues.add(place, "must be text; put it in quotes", true);
      continue;
    }
    const better = issue && explained(issue, path, schema);
    for (const reason of better === undefined ? reasons : [better]) issues.add(place, reason);
  }
  return good;
}

const isUnquoted = ({ code, params }: Issue, value: unknown): boolean =>
  code === "wrong_type" && params?.expected === "string" && (typeof value === "number" || typeof value === "boolean");

/** Returns a message that suggests a correction; undefined for issues without one. */
function explained(issue: Issue, path: readonly string[], schema: z.ZodType): string | undefined {
  if (issue.code !== "unknown_field") return undefined;
  const known = path.slice(0, -1).reduce<Field | undefined>(
    (above, part) => {
      return /^\d+$/.test(part) ? above?.items : above?.fields?.find((field) => field.name === part);
    },
    fieldOf("", schema),
  );
  return unknown(path.at(-1) ?? "", known?.fields?.map((field) => field.name) ?? []);
}

/** Sorts names by length, so that the shortest of several completions is suggested. */
export const shortestFirst = (names: readonly string[]): string[] => names.toSorted((a, b) => a.length - b.length);

function unknown(name: string, known: readonly string[]): string {
  const meant = suggestName(name, shortestFirst(known));
  return meant ? `is unknown; did you mean ${meant}?` : `is unknown; known are ${known.join(", ")}`;
}

type UserEntry = OrganisationEntry<"users">;

interface UserPlace {
  readonly at: number;
  readonly entry: UserEntry;
}

export type FileUsers = ReturnType<typeof createFileUsers>;

/** Creates an empty list of the users of a file, indexed by reference and e-mail address. It is on disk, because it may be long. */
function createFileUsers(scratch: DatabaseSync, issues: FileIssues) {
  const list = createDiskList<UserPlace>(scratch, "file_users");
  scratch.exec(`drop table if exists labels;
    create table labels (label text primary key, place integer not null) without rowid`);
  const claim = scratch.prepare("insert or ignore into labels values (?, ?)");
  const owner = scratch.prepare("select place from labels where label = ?");
  const read = scratch.prepare("select item from labels join file_users using (place) where label = ?");
  let count = 0;
  const isFirst = (label: string, at: number, field: string) => {
    if (claim.run(label, at).changes === 1) return true;
    issues.add(["users", at, field], `is already used by users[${owner.get(label)?.place}]`);
    return false;
  };
  const placeOf = (label: string): UserPlace | undefined => {
    const row = read.get(label);
    return row && JSON.parse(String(row.item));
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
      list.add(at, { at, entry });
    },
    find({ reference, email }: { reference: string | null; email: string | null }): UserPlace | undefined {
      const known = reference === null ? undefined : placeOf(`reference ${reference}`);
      if (known !== undefined || email === null) return known;
      const place = placeOf(`email ${keyOf(email)}`);
      // A user without a reference gets the reference of the file.
      return place?.entry.reference === undefined || reference === null ? place : undefined;
    },
    [Symbol.iterator]: () => list[Symbol.iterator](),
  };
}
