import { counters } from "../../src/contract/counters.ts";
import { events } from "../../src/contract/events.ts";
import type { Caller } from "../../src/contract/operation.ts";
import type { Figure } from "./figure.ts";
import { compare, onBothDatabases } from "./growth.ts";
import { base, fillEvents, type Mix, now, ofLastUnit } from "./many-events.ts";

const [few, many] = [500, 50_000];
const rounds = 15;
const calls = 12;
const month = 30 * 86_400;
/** Pages of what all have as many of, small or large. */
const limit = 10;
const mixes: Readonly<Record<string, Mix>> = { "mostly personal": [60, 30, 8, 2], "all for all": [0, 0, 0, 100] };

/** G1: lists, what is next, and one event, of a hundred times as many events. */
export const manyEvents = () =>
  onBothDatabases(async function* (where, newTarget): AsyncGenerator<Figure> {
    for (const [number, [about, mix]] of Object.entries(mixes).entries()) {
      const filled = async (count: number) => fillEvents(await newTarget(`events_${number}_${count}`), count, mix);
      const [small, large] = [await filled(few), await filled(many)];
      for (const who of ["admin", "member"] as const) {
        for (const [what, ask] of Object.entries(questions)) {
          const figure = await compare(ask, { small: small[who], large: large[who], rounds, calls });
          const note = `${many} events against ${few}`;
          yield { ...figure, what: `${what}, ${who} (${where}, ${about})`, note };
        }
      }
      await small.database.close();
      await large.database.close();
    }
  });

const questions: Readonly<Record<string, (caller: Caller, round: number) => Promise<unknown>>> = {
  "events list": (caller) => caller.call(events.list, { limit }),
  "events list of a month": (caller) => caller.call(events.list, { limit, start: now, end: now + month }),
  "events list from a time on": (caller) => caller.call(events.list, { limit, start: base + 3 * month }),
  "events upcoming": (caller) => caller.call(events.upcoming, {}),
  "events counters": (caller) => caller.call(counters.list, {}),
  // Both may read them; others are refused, which takes another time.
  "events get": (caller, round) => caller.call(events.get, { id: 1 + ((round * 13) % ofLastUnit) }),
};
