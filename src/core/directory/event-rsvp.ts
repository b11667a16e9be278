import { sql } from "kysely";
import { addToRows, upsertRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { inPortions } from "../pipeline/change-in-portions.ts";

type Answer = "accepted" | "rejected";

export async function saveRsvp(
  db: Db,
  { event_id, user_id }: { readonly event_id: number; readonly user_id: number },
  { before, after, now }: { readonly before: Answer | null; readonly after: Answer | null; readonly now: number },
): Promise<void> {
  if (before === after) return;
  const answered_at = after === null ? null : now;
  await upsertRow(db, "event_marks", { event_id, user_id }, { answer: after, answered_at });
  await addToRows(db, "events", event_id, {
    accepted_count: counts("accepted", before, after),
    rejected_count: counts("rejected", before, after),
  });
}

const counts = (answer: Answer, before: Answer | null, after: Answer | null) =>
  Number(after === answer) - Number(before === answer);

/** Removes all RSVPs of a user that is being deleted, of events and of event posts, because deleted users do not attend. */
export async function forgetAnswers(db: Db, user: number): Promise<void> {
  for (const [things, table, key] of [
    ["events", "event_marks", "event_id"],
    ["posts", "post_marks", "post_id"],
  ] as const) {
    await inPortions(db, { table, column: "user_id", owner: user, key }, async (some) => {
      for (const answer of ["accepted", "rejected"]) {
        const count = sql.ref(`${answer}_count`);
        await sql`update ${sql.table(things)} set ${count} = ${count} - 1 where id in (
          select ${sql.ref(key)} from ${sql.table(table)} where ${some} and answer = ${answer})`.execute(db);
      }
      if (table === "event_marks") await db.deleteFrom(table).where(some).execute();
      else await db.updateTable(table).set({ answer: null }).where(some).where("answer", "is not", null).execute();
    });
  }
}
