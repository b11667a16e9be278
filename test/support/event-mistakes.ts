import { expandEvent, spanLimits } from "../../src/core/events/event-times.ts";
import type { Database } from "../../src/store/database.ts";

/** Returns the stored dates and counts of events that differ from their rules or a recount. */
export async function eventMistakes({ reader }: Database): Promise<string[]> {
  const dates = await reader.selectFrom("event_dates").selectAll().orderBy("start_at").execute();
  const marks = await reader.selectFrom("event_marks").selectAll().execute();
  const audiences = await reader.selectFrom("audiences").selectAll().execute();
  const units = await reader.selectFrom("audience_units").selectAll().execute();
  const types = await reader.selectFrom("audience_user_types").selectAll().execute();
  const shares = await reader.selectFrom("audience_shares").selectAll().execute();
  const placed = await reader.selectFrom("event_places").selectAll().orderBy("start_at").orderBy("place").execute();
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
    check("personal", audience?.personal, event.type === "user" ? 1 : 0);
    if (event.deleted_at !== null) {
      const attached = files.filter((file) => file.owner_id === event.id);
      const found = placed.filter((each) => each.event_id === event.id);
      check("what is left of it", [...own, ...answered, ...attached, ...found, event.title], [""]);
      continue;
    }
    const { start_at: start, end_at: end, date: day, timezone } = event;
    const { occurrences } = await expandEvent({ start, end, day, timezone }, JSON.parse(event.recurrence));
    const kept = own.map(({ start_at: start, end_at: end, day }) => ({ start, end, day }));
    check("occurrences", kept, occurrences);
    check("first occurrence", [event.start_at, event.end_at, event.date], Object.values(occurrences[0] ?? {}));
    check("last_at", event.last_at, occurrences.at(-1)?.end);
    const spanOf = (seconds: number) => spanLimits.filter((longest) => longest < seconds).length;
    check(
      "spans",
      own.map(({ span }) => span),
      own.map(({ start_at, end_at }) => spanOf(end_at - start_at)),
    );
    const places = [
      `a${audience?.author_id}`,
      ...(event.type === "user" ? [] : ["c", `o${audience?.owner_unit_id}`]),
      ...units
        .filter((unit) => unit.audience_id === event.audience_id)
        .map(({ unit_id, falldown }) => `${falldown === 1 ? "d" : "u"}${unit_id}`),
      ...shares.filter((share) => share.audience_id === event.audience_id).map(({ user_id }) => `s${user_id}`),
    ].sort();
    const hasTypes = types.some((type) => type.audience_id === event.audience_id);
    const limited = (place: string) => (hasTypes && /^[ud]/.test(place) ? 1 : 0);
    check(
      "places",
      placed
        .filter((each) => each.event_id === event.id)
        .map((row) => [row.place, row.start_at, row.end_at, row.span, row.previous_at, row.limited]),
      own.flatMap(({ start_at, end_at, span }, at) =>
        places.map((place) => [
          ...[place, start_at, end_at, span],
          ...[own[at - 1]?.start_at ?? Number.MIN_SAFE_INTEGER, limited(place)],
        ]),
      ),
    );
  }
  return found;
}
