import { updateRows } from "../../store/bulk.ts";
import { emailKey } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { ExistingUser, Known, UserImportRow } from "./user-import-lookup.ts";

interface Batch {
  readonly rows: readonly UserImportRow[];
  readonly key: "reference" | "email" | undefined;
  readonly userOf: (row: UserImportRow) => ExistingUser | undefined;
  readonly isValid: (row: UserImportRow) => boolean;
}

/**
 * Clears addresses (references, for the key `email`) that rows replace and others claim, so that users can swap them. Returns
 * those users as they were, by ID.
 */
export async function freeClaimedKeys(ctx: Ctx, known: Known, batch: Batch): Promise<Map<number, ExistingUser>> {
  const column = batch.key === "email" ? "reference" : "email_key";
  const leavers = findLeavers(batch, column);
  const freed = new Map(leavers.map(({ user }) => [user.id, user]));
  if (leavers.length === 0) return freed;
  known.add([...freed.values()].map((user) => ({ ...user, [column]: null })));
  // An invalid row leaves its user unchanged, which can make the row that claims the user's key invalid, too.
  const byClaim = new Map(leavers.map((leaver) => [leaver.claim, leaver]));
  const unchecked = [...leavers];
  for (let next = unchecked.pop(); next; next = unchecked.pop()) {
    const { user, row } = next;
    if (!freed.has(user.id) || batch.isValid(row)) continue;
    freed.delete(user.id);
    known.add([user]);
    const claiming = byClaim.get(user[column]);
    if (claiming) unchecked.push(claiming);
  }
  await updateRows(ctx.db, "users", { id: [...freed.keys()] }, { [column]: null });
  return freed;
}

/** Finds users whose key one row replaces and one other claims. Of several rows, their order decides. */
function findLeavers({ rows, userOf }: Batch, column: "reference" | "email_key") {
  const claimOf = (row: UserImportRow) => (column === "reference" ? row.reference : emailKey(row.email));
  const rowsByClaim = Map.groupBy(rows, claimOf);
  const rowsByUser = Map.groupBy(rows, userOf);
  return [...rowsByUser].flatMap(([user, [row, second]]) => {
    const claim = row && claimOf(row);
    if (!user?.[column] || row === undefined || second || claim === undefined || claim === user[column]) return [];
    const isAlone = claim === null || rowsByClaim.get(claim)?.length === 1;
    return isAlone && rowsByClaim.has(user[column]) ? [{ user, row, claim }] : [];
  });
}
