import { hash } from "node:crypto";
import { normalizeReference } from "../../../contract/common-schemas.ts";
import { messageOf } from "../../../contract/issue-messages.ts";
import { maxUnitLevel } from "../../../contract/nesting.ts";
import type { Caller } from "../../../contract/operation.ts";
import { units } from "../../../contract/units.ts";
import { type FileRow, type Outcome, skippedRow } from "../../file-io/file-rows.ts";
import { walkItems } from "../../kit/walk-list.ts";
import type { ImportKey } from "./mapping-file.ts";

/** Remembers what the earlier batches of a dry run would have created, since the service rolls back each batch. */
export interface Rehearsal {
  /** Returns further input fields for these rows. */
  inputFor?(rows: readonly FileRow[]): Record<string, unknown>;
  /** Replaces addresses and references that earlier batches gave up and the service finds taken; undefined when there are none. */
  replaceFreed?(rows: readonly FileRow[], outcomes: readonly Outcome[]): FileRow[] | undefined;
  /** Loads what `judge` needs to know for these outcomes. */
  prepare?(outcomes: readonly Outcome[], batch: number): Promise<void>;
  /** Corrects the outcome of a row by what earlier batches would have done. Batches are numbered from 0. */
  judge(line: number, row: FileRow, outcome: Outcome, batch: number): Outcome;
}

/** A row that the dry run has judged. */
interface EarlierRow {
  readonly batch: number;
  /** Hash of all fields. */
  readonly hash: string;
}

interface EarlierUser extends EarlierRow {
  readonly line: number;
  /** Hash of the reference after the row; null when the row clears it, undefined when it is unknown. */
  readonly reference: string | null | undefined;
  /** Hash of the e-mail address after the row. */
  readonly email: string;
}

interface EarlierUnit extends EarlierRow {
  /** A lower bound: the levels of units that are not in the file are unknown here. */
  readonly level: number;
}

const hashOf = (text: string) => hash("sha1", text, "base64url");
const emailHash = ({ email }: FileRow) => hashOf(String(email).normalize("NFC").toLowerCase());
const rowHash = (row: FileRow) => hashOf(JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));
const referenceOf = (value: unknown) =>
  typeof value === "string" && value !== "" ? normalizeReference(value) : undefined;

function referenceHash(row: FileRow): string | undefined {
  const reference = referenceOf(row.reference);
  return reference && hashOf(reference);
}

/** Simulates an import of users, who are matched by the key, or without one by reference, else by e-mail address. */
export function rehearseUsers(key?: ImportKey): Rehearsal {
  const byReference = new Map<string, EarlierUser>();
  const byEmail = new Map<string, EarlierUser>();
  /** Rows about users whom the service has. */
  const byId = new Map<unknown, EarlierUser>();
  const forget = (found: EarlierUser) => {
    if (byReference.get(found.reference ?? "") === found) byReference.delete(found.reference ?? "");
    if (byEmail.get(found.email) === found) byEmail.delete(found.email);
  };
  return {
    replaceFreed(rows, outcomes) {
      let isAny = false;
      const replaced = rows.map((row, at) => {
        const email = emailHash(row);
        const reference = referenceHash(row);
        const emailHolder = byId.get(emailHolderId(row, outcomes[at]));
        const referenceHolder = byId.get(referenceHolderId(row, outcomes[at], key));
        const isEmailFree = emailHolder !== undefined && emailHolder.email !== email;
        const isReferenceFree = referenceHolder?.reference !== undefined && referenceHolder.reference !== reference;
        isAny ||= isEmailFree || isReferenceFree;
        return {
          ...row,
          ...(isEmailFree && { email: `${email}@freed.invalid` }),
          ...(isReferenceFree && { reference: `freed ${reference}` }),
        };
      });
      return isAny ? replaced : undefined;
    },
    judge(line, row, answer, batch) {
      const earlier = (found: EarlierUser | undefined) => (found && found.batch < batch ? found : undefined);
      // A row whose reference was free was sent with another one.
      const sent = answer.reference === null ? answer : { ...answer, reference: String(row.reference) };
      const changes = Array.isArray(sent.changes) ? sent.changes.map((change) => asInRow(change, row)) : undefined;
      const outcome = { ...sent, changes };
      if (outcome.action === "skipped") return outcome;
      const email = emailHash(row);
      const reference = referenceHash(row);
      const sameEmail = byEmail.get(email);
      const sameReference = reference === undefined ? undefined : byReference.get(reference);
      const [before, other] =
        reference === undefined || key === "email" ? [sameEmail, sameReference] : [sameReference, sameEmail];
      // The field that does not match the row may belong to another user.
      const taken = other === before ? undefined : earlier(other);
      if (taken !== undefined) {
        const [field, code] =
          key === "email" ? (["reference", "reference_taken"] as const) : (["email", "email_taken"] as const);
        return skippedRow({ [field]: [`is taken by line ${taken.line}`] }, outcome.reference, [{ field, code }]);
      }
      const same = earlier(before);
      const judged = same ? repeated(same, row, outcome) : outcome;
      if (judged.action !== "unchanged") {
        // An empty reference clears the previous one.
        const kept = row.reference === undefined ? before?.reference : null;
        const added = { line, batch, hash: rowHash(row), reference: reference ?? kept, email };
        if (before) forget(before);
        if (added.reference) byReference.set(added.reference, added);
        byEmail.set(email, added);
        if (outcome.id !== null) byId.set(outcome.id, added);
      }
      return judged;
    },
  };
}

/** Returns a change of a user with the address or reference of the row, which may have been sent with another one. */
function asInRow<C extends NonNullable<Outcome["changes"]>[number]>(change: C, row: FileRow): C {
  const isKey = change.field === "email" || change.field === "reference";
  return isKey ? { ...change, after: row[change.field] || null } : change;
}

/** Returns the ID of the user who has the address of a row: its current owner, or the user whom the row matches by it. */
function emailHolderId(row: FileRow, outcome: Outcome | undefined): unknown {
  const taken = outcome?.issues?.find(({ code }) => code === "email_taken");
  if (taken) return taken.params?.user;
  return referenceOf(row.reference) === undefined ? outcome?.id : undefined;
}

/** Returns the ID of the user who has the reference of a row: its current owner, or the user whom the row matches by it. */
function referenceHolderId(row: FileRow, outcome: Outcome | undefined, key: ImportKey | undefined): unknown {
  if (referenceOf(row.reference) === undefined) return undefined;
  const taken = outcome?.issues?.find(({ code }) => code === "reference_taken");
  return key === "email" ? taken?.params?.user : outcome?.id;
}

/** Simulates an import of units, which are matched by reference; the service assumes that their parents exist. */
export function rehearseUnits(caller: Caller, signal: AbortSignal): Rehearsal {
  const tree = createRehearsedTree(caller, signal);
  const byReference = new Map<string, EarlierUnit>();
  return {
    inputFor(rows) {
      const named = new Set(
        rows.flatMap(({ reference, parent }) => [referenceOf(reference) ?? "", referenceOf(parent) ?? ""]),
      );
      return { assume: [...named].filter((reference) => byReference.has(reference)) };
    },
    async prepare(outcomes, batch) {
      const mayMove = (outcome: Outcome) => outcome.action === "changed" || isCircular(outcome);
      if (batch > 0 && outcomes.some(mayMove)) await tree.load();
    },
    judge(_line, row, given, batch) {
      const reference = referenceOf(row.reference);
      if (reference === undefined) return given;
      const parent = referenceOf(row.parent);
      const outcome = batch > 0 ? movedOutcome(tree, { reference, parent }, given) : given;
      if (outcome.action === "skipped") return outcome;
      const level =
        parent === undefined ? Number(outcome.action === "created") : (byReference.get(parent)?.level ?? 0) + 1;
      const before = byReference.get(reference);
      const seen = before && before.batch < batch ? repeated(before, row, outcome) : outcome;
      const judged = level > maxUnitLevel ? tooDeep(outcome) : seen;
      if (judged.action === "unchanged") return judged;
      byReference.set(reference, { batch, hash: rowHash(row), level });
      if (row.parent !== undefined || judged.action === "created") tree.move(reference, parent);
      return judged;
    },
  };
}

const circular = { field: "parent", code: "circular_parent" } as const;

const isCircular = ({ issues = [] }: Outcome) => issues.length === 1 && issues[0]?.code === circular.code;

/** Corrects an outcome by the moves of earlier batches: they can put a parent into the branch of a unit, or take it out. */
function movedOutcome(
  tree: RehearsedTree,
  { reference, parent }: { readonly reference: string; readonly parent: string | undefined },
  outcome: Outcome,
): Outcome {
  if (parent === undefined || (outcome.action === "skipped" && !isCircular(outcome))) return outcome;
  if (tree.isWithin(parent, reference))
    return skippedRow({ parent: [messageOf(circular)] }, outcome.reference, [circular]);
  if (!isCircular(outcome)) return outcome;
  return { action: "changed", id: tree.idOf(reference) ?? null, reference: outcome.reference };
}

const tooDeep = ({ reference }: Outcome) => skippedRow({ parent: [messageOf({ code: "too_deep" })] }, reference);

function repeated(before: EarlierRow, row: FileRow, outcome: Outcome): Outcome {
  // The service compared the row with what is stored, without the earlier row.
  return { ...outcome, action: before.hash === rowHash(row) ? "unchanged" : "changed", changes: undefined };
}

/** Removes the IDs of items that a dry run created and rolled back. Messages name the lines of these items instead. */
export function withoutNewIds(outcomes: readonly Outcome[], rows: readonly { readonly line: number }[]): Outcome[] {
  const lineOf = new Map<unknown, number | undefined>();
  for (const [at, { action, id }] of outcomes.entries()) if (action === "created") lineOf.set(id, rows[at]?.line);
  return outcomes.map((outcome) => {
    const { id, fields, issues = [] } = outcome;
    const ofNew = issues.filter(({ params }) => lineOf.has(params?.user));
    const named = ofNew.map(({ field, params }) => [field, [`is taken by line ${lineOf.get(params?.user)}`]]);
    return {
      ...outcome,
      id: lineOf.has(id) ? null : id,
      fields: fields && { ...fields, ...Object.fromEntries(named) },
    };
  });
}

/** A unit by its reference, or by its ID without one. */
type UnitKey = string | number;

type RehearsedTree = ReturnType<typeof createRehearsedTree>;

/** Creates the tree as the rows of a dry run so far would have made it. */
function createRehearsedTree(caller: Caller, signal: AbortSignal) {
  const parents = new Map<UnitKey, UnitKey | undefined>();
  const ids = new Map<string, number>();
  let isLoaded = false;
  return {
    async load(): Promise<void> {
      if (isLoaded) return;
      isLoaded = true;
      const keys = new Map<number, UnitKey>();
      // Parents come before their children.
      for await (const { id, reference, parent_id } of walkItems(caller, units.tree, {}, signal)) {
        const key = reference ?? id;
        keys.set(id, key);
        if (reference !== null) ids.set(reference, id);
        if (!parents.has(key)) parents.set(key, parent_id === null ? undefined : keys.get(parent_id));
      }
    },
    /** Puts a unit below another one, or below the root without one. */
    move: (reference: string, parent: string | undefined) => void parents.set(reference, parent),
    /** Returns true when the unit `reference` is `parent` or above it, as far as units are known. */
    isWithin(parent: string, reference: string): boolean {
      // The service may have changed meanwhile, so that units could lead back to themselves.
      const seen = new Set<UnitKey>();
      for (let at: UnitKey | undefined = parent; at !== undefined && !seen.has(at); at = parents.get(at)) {
        if (at === reference) return true;
        seen.add(at);
      }
      return false;
    },
    /** Returns the ID of a unit that the service has, once it is loaded. */
    idOf: (reference: string) => ids.get(reference),
  };
}
