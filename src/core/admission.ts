import { invalid } from "../contract/errors.ts";
import { pathFields } from "../contract/field-spec.ts";
import { type FileItem, filesField } from "../contract/file-schemas.ts";
import type { AnyOperation, Origin } from "../contract/operation.ts";
import { tryParseInput } from "../contract/parse-input.ts";
import { findRow } from "../store/bulk.ts";
import { findAdmission } from "./find-handler.ts";
import type { Ctx } from "./pipeline/context.ts";
import { retentionSeconds } from "./pipeline/idempotency.ts";
import { fieldOfReach, permit, requireAbility } from "./pipeline/permissions.ts";

/** An operation's input, or only its path fields while the body has not been read. */
export type KnownInput = Readonly<Record<string, unknown>>;

/** Rejects an operation early, as far as the known input allows. Repeats with a key pass: they get their stored answer. */
export async function requireAdmission(ctx: Ctx, op: AnyOperation, known: KnownInput, origin: Origin): Promise<void> {
  try {
    const { access } = op;
    const isPlaceUnknown =
      typeof access === "object" && !access.at?.every((reach) => known[fieldOfReach(reach)] !== undefined);
    if (isPlaceUnknown) requireAbility(ctx.actor, access.ability);
    else await permit(ctx, op, known);
    await (await findAdmission(op))?.(ctx, known);
  } catch (error) {
    if (!(await isRepeat(ctx, op, origin))) throw error;
  }
}

/** Ignores keys of other operations: they would admit large bodies that are refused only after they were read. */
async function isRepeat(
  { db, actor, now }: Ctx,
  { name }: AnyOperation,
  { idempotencyKey: key }: Origin,
): Promise<boolean> {
  if (key === undefined) return false;
  const stored = await findRow(db, "idempotency_keys", { actor_id: actor.id, key, operation: name }, ["created_at"]);
  return stored !== undefined && stored.created_at > now - retentionSeconds;
}

/** Checks permission and decodes the files of an input before the transaction, which would block other writers. */
export async function prepareLargeInput(ctx: Ctx, op: AnyOperation, input: KnownInput, origin: Origin): Promise<void> {
  const field = filesField(op);
  const files = field === undefined ? [] : ((input[field] ?? []) as readonly FileItem[]);
  if (field !== undefined && files.length === 0) return;
  await requireAdmission(ctx, op, input, origin);
  // Each file is decoded once. The handler refuses the wrong ones.
  if (files.length > 0) await (await import("./files/attached-files.ts")).fileIssues(ctx, files);
}

/** Throws `validation_failed` for invalid path fields; the other fields have not arrived yet. */
export function requirePath(op: AnyOperation, known: KnownInput): void {
  const names = pathFields(op).map(({ name }) => name);
  if (names.length === 0) return;
  const result = tryParseInput(op, known);
  if (result.ok) return;
  const wrong = Object.entries(result.fields).filter(([name]) => names.includes(name));
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong), result.issues);
}
