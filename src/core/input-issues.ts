import type { z } from "zod";
import { type FieldIssues, invalid, ServiceError } from "../contract/errors.ts";
import { pathFields } from "../contract/field-spec.ts";
import { type FileItem, fileItem, filesField } from "../contract/file-schemas.ts";
import type { AnyOperation, Origin } from "../contract/operation.ts";
import { type Issues, pathInInput, validFields, withoutIgnored } from "../contract/parse-input.ts";
import { isRecord } from "../contract/parse-json.ts";
import { type KnownInput, requireAdmission } from "./admission.ts";
import { findCheck } from "./find-handler.ts";
import { may } from "./pipeline/actor.ts";
import type { Ctx } from "./pipeline/context.ts";
import { cursorIssues } from "./pipeline/cursor.ts";
import { describeIssues } from "./pipeline/field-issues.ts";
import { permit } from "./pipeline/permissions.ts";

/** An input with issues, found by its schema or by the permission check. */
interface WrongInput {
  readonly input: unknown;
  readonly found: Issues;
  readonly origin: Origin;
}

/** Returns the error of a wrong input with every wrong field, also those that depend on other fields or on data. */
export async function inputError(ctx: Ctx, op: AnyOperation, { input, found, origin }: WrongInput) {
  const known = validFields(op.input() as z.ZodObject, withoutIgnored(op, input));
  const wrong = Object.keys({ ...found.fields, ...origin.refused });
  const files = checkableFiles(op, input, wrong);
  const further: FieldIssues = {};
  for (const some of await furtherIssues(ctx, op, { known, files, wrong: [...wrong], origin })) {
    for (const [field, causes] of Object.entries(some)) {
      if (wrong.some((other) => includes(other, field) || includes(field, other))) continue;
      further[field] = causes;
      wrong.push(field);
    }
  }
  const { fields, issues } = describeIssues(further);
  return invalid(Object.assign(Object.create(null), found.fields, fields), [...found.issues, ...issues]);
}

const includes = (outer: string, inner: string) => inner === outer || inner.startsWith(`${outer}.`);

/** Returns the files of an input, including those with a wrong name; undefined for files whose content cannot be checked. */
function checkableFiles(op: AnyOperation, input: unknown, wrong: readonly string[]): (FileItem | undefined)[] {
  const field = filesField(op);
  const given = field !== undefined && isRecord(input) && !wrong.includes(field) ? input[field] : [];
  if (!Array.isArray(given)) return [];
  return given.map((item) => {
    const { type, data, name = "" } = validFields(fileItem(), item) as Partial<FileItem>;
    return type && data ? { type, data, name } : undefined;
  });
}

interface Checkable {
  readonly known: KnownInput;
  readonly files: readonly (FileItem | undefined)[];
  readonly wrong: readonly string[];
  readonly origin: Origin;
}

async function furtherIssues(
  ctx: Ctx,
  op: AnyOperation,
  { known, files, wrong, origin }: Checkable,
): Promise<FieldIssues[]> {
  if (!isCaller(ctx, op)) return [];
  const inPath = new Set(pathFields(op).map(({ name }) => name));
  // Throws when the actor may not use the users and units in the path: the checks that follow reveal their data.
  await permit(ctx, op, known, (field) => inPath.has(field) && known[field] !== undefined);
  const isWrong = (field: string) => wrong.some((other) => includes(field, other));
  const inInput = (issues: FieldIssues) =>
    Object.fromEntries(Object.entries(issues).map(([field, causes]) => [pathInInput(known, field), causes]));
  return [
    op.list?.paging === "cursor" ? cursorIssues(ctx, known.cursor) : {},
    inInput(await issuesOf(() => permit(ctx, op, known, (field) => !inPath.has(field) && known[field] !== undefined))),
    inInput(await issuesOf(async () => (await findCheck(op))?.(ctx, known, isWrong))),
    await issuesOf(async () => {
      if (files.length === 0) return {};
      await requireAdmission(ctx, op, known, origin);
      return (await import("./files/attached-files.ts")).fileIssues(ctx, files);
    }),
  ];
}

/** Returns true when the actor may call the operation, as far as that does not depend on the input. */
function isCaller({ actor }: Ctx, { access }: AnyOperation): boolean {
  if (access === "public") return true;
  if (access === "signed_in") return actor.id !== 0;
  if (access === "administrator") return actor.admin;
  return access.self === true || may(actor, access.ability);
}

/** Returns issues, including those of a thrown `validation_failed`. Ignores other errors: issues of fields are reported first. */
async function issuesOf(check: () => Promise<FieldIssues | undefined> | undefined): Promise<FieldIssues> {
  try {
    return (await check()) ?? {};
  } catch (error) {
    if (error instanceof ServiceError) return error.fields ?? {};
    throw error;
  }
}
