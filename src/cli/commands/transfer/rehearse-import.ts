import { hash } from "node:crypto";
import { normalizeReference } from "../../../contract/common-schemas.ts";
import { type FileRow, type Outcome, skippedRow } from "../../file-io/file-rows.ts";
import type { ImportKey } from "./mapping-file.ts";

/** Remembers what the earlier batches of a dry run would have created, since the service rolls back each batch. */
export interface Rehearsal {
  /** Returns further input fields for these rows. */
  inputFor?(rows: readonly FileRow[]): Record<string, unknown>;
  /** Replaces addresses and references that earlier batches gave up and the service finds taken; undefined when there are none. */
  replaceFreed?(rows: readonly FileRow[], outcomes: readonly Outcome[]): FileRow[] | undefined;
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
export function rehearseUnits(): Rehearsal {
  const byReference = new Map<string, EarlierRow>();
  return {
    inputFor(rows) {
      const named = new Set(
        rows.flatMap(({ reference, parent }) => [referenceOf(reference) ?? "", referenceOf(parent) ?? ""]),
      );
      return { assume: [...named].filter((reference) => byReference.has(reference)) };
    },
    judge(_line, row, outcome, batch) {
      const reference = referenceOf(row.reference);
      if (reference === undefined || outcome.action === "skipped") return outcome;
      const before = byReference.get(reference);
      const judged = before && before.batch < batch ? repeated(before, row, outcome) : outcome;
      if (judged.action !== "unchanged") byReference.set(reference, { batch, hash: rowHash(row) });
      return judged;
    },
  };
}

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
