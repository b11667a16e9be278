import { emailKey } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import type { ExistingUser } from "./user-import-lookup.ts";
import type { UserImportRow, Wanted } from "./user-import-row.ts";
import { type ChangedRow, changeUsers, createUsers } from "./user-import-writes.ts";

interface NewRow {
  readonly index: number;
  readonly wanted: Wanted;
}

interface Given {
  readonly row: UserImportRow;
}

/** Rows written at a time, for up to 40 ms, when no other request can run on SQLite. */
const portion = 500;

/** Valid rows of an import that are written together. */
export class WaitingRows {
  readonly #ctx: Ctx;
  #created: NewRow[] = [];
  #changed: ChangedRow[] = [];
  /** References and addresses of the users of these rows, before and after. */
  readonly #keys = new Set<string>();

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  /** Returns true when `row` depends on the result of a waiting one. */
  affects(row: UserImportRow): boolean {
    return keysOf(row.reference, emailKey(row.email)).some((key) => this.#keys.has(key));
  }

  create({ row, ...added }: NewRow & Given): void {
    this.#created.push(added);
    this.#remember(row);
  }

  change({ row, ...added }: ChangedRow & Given): void {
    this.#changed.push(added);
    this.#remember(row, added.existing);
  }

  /** Writes the rows and forgets them. */
  async write(): Promise<{ created: { index: number; id: number }[]; changed: { id: number }[] }> {
    const created = [];
    for await (const some of inTurns(this.#created, portion)) created.push(...(await createUsers(this.#ctx, some)));
    for await (const some of inTurns(this.#changed, portion)) await changeUsers(this.#ctx, some);
    const changed = this.#changed.map(({ existing }) => existing);
    for (const { id } of created) this.#ctx.changed("user.create", id);
    for (const { id } of changed) this.#ctx.changed("user.update", id);
    this.#created = [];
    this.#changed = [];
    this.#keys.clear();
    return { created, changed };
  }

  #remember({ reference, email }: UserImportRow, existing?: ExistingUser): void {
    const before = existing ? keysOf(existing.reference, existing.email_key) : [];
    for (const key of [...keysOf(reference, emailKey(email)), ...before]) this.#keys.add(key);
  }
}

function keysOf(reference: string | null | undefined, email: string | null): string[] {
  return [...(reference ? [`reference ${reference}`] : []), ...(email === null ? [] : [`email ${email}`])];
}
