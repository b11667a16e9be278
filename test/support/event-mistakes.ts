import { spans } from "../../src/core/events/spans.ts";
import { expand } from "../../src/core/recurrence.ts";
import type { Database } from "../../src/store/database.ts";

/** What is kept of events and is not what their rules, or a recount, give. */
export async function eventMistakes({ reader }: Database): Promise<string[]> {
  const dates = await reader.selectFrom("event_dates").selectAll().orderBy("start_at").execute();
  const marks = await reader.selectFrom("event_marks").selectAll().execute();
  const audiences = await reader.selectFrom("audiences").selectAll().execute();
  const files = await reader.selectFrom("files").select("owner_id").where("owner", "=", "event").execute();
  const found: string[] = [];
  for (const event of await reader.selectFrom("events").selectAll().execute()) {
    const check = (what: string, kept: unknown, expected: unknown) => {
      const [a, b] = [JSON.stringify(kept), JSON.stringify(expected)];
      if (a !== b) found.push(`event ${event.id}: ${what} is ${a}, not ${b}`);
    };
    const own = dates.filter((each) => each.event_id === event.id);
    const answered = marks.filter((each) => each.event_id === event.id);
    for (const answer of ["accepted", "rejected"] as const) {
      check(`${answer}_count`, event[`${answer}_count`], answered.filter((each) => each.answer === answer).length);
    }
    for (const mark of answered) check("answered_at is there", mark.answered_at !== null, mark.answer !== null);
    const audience = audiences.find((each) => each.id === event.audience_id);
    check("kind of audience", audience?.kind, "event");
    check("personal", audience?.personal, event.type === "user" ? 1 : 0);
    if (event.deleted_at !== null) {
      const attached = files.filter((file) => file.owner_id === event.id);
      check("what is left of it", [...own, ...answered, ...attached, event.title], [""]);
      continue;
    }
    const { occurrences } = await expand({
      start: event.start_at,
      end: event.end_at,
      day: event.date,
      rules: JSON.parse(event.recurrence),
      timezone: event.timezone,
    });
    const kept = own.map(({ start_at: start, end_at: end, day }) => ({ start, end, day }));
    check("occurrences", kept, occurrences);
    check("first occurrence", [event.start_at, event.end_at, event.date], Object.values(occurrences[0] ?? {}));
    check("last_at", event.last_at, occurrences.at(-1)?.end);
    const spanOf = (seconds: number) => spans.filter((longest) => longest < seconds).length;
    check(
      "spans",
      own.map(({ span }) => span),
      own.map(({ start_at, end_at }) => spanOf(end_at - start_at)),
    );
  }
  const units = await reader.selectFrom("audience_units as u").innerJoin("audiences as a", "a.id", "u.audience_id");
  const odd = await units.select("a.id").whereRef("u.kind", "<>", "a.kind").execute();
  for (const { id } of odd) found.push(`audience ${id}: units of another kind`);
  return found;
}
