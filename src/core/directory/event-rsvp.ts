import { addToRow, upsertRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";

type Answer = "accepted" | "rejected";

/** Stores or removes a user's RSVP and updates the counts of the event. */
export async function saveRsvp(
  db: Db,
  { event_id, user_id }: { readonly event_id: number; readonly user_id: number },
  { before, after, now }: { readonly before: Answer | null; readonly after: Answer | null; readonly now: number },
): Promise<void> {
  if (before === after) return;
  const answered_at = after === null ? null : now;
  await upsertRow(db, "event_marks", { event_id, user_id }, { answer: after, answered_at });
  await addToRow(db, "events", event_id, {
    accepted_count: counts("accepted", before, after),
    rejected_count: counts("rejected", before, after),
  });
}

const counts = (answer: Answer, before: Answer | null, after: Answer | null) =>
  Number(after === answer) - Number(before === answer);

/** Removes all RSVPs of a user that is being deleted, because deleted users do not attend. */
export async function forgetAnswers(db: Db, user: number): Promise<void> {
  for (const [answer, column] of [
    ["accepted", "accepted_count"],
    ["rejected", "rejected_count"],
  ] as const) {
    await db
      .updateTable("events")
      .set((eb) => ({ [column]: eb(column, "-", 1) }))
      .where("id", "in", (eb) =>
        eb.selectFrom("event_marks").select("event_id").where("user_id", "=", user).where("answer", "=", answer),
      )
      .execute();
  }
  await db.deleteFrom("event_marks").where("user_id", "=", user).execute();
}
