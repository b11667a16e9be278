import fc from "fast-check";
import { RRuleTemporal } from "rrule-temporal";
import { describe, expect, it } from "vitest";
import { phraseOf } from "../../src/cli/time/recurrence/describe-rule.ts";
import { readPhrase } from "../../src/cli/time/recurrence/parse-phrase.ts";
import { basicDay, readRrule, rruleOf } from "../../src/cli/time/recurrence/read-rrule.ts";
import { frequencies, weekdays } from "../../src/contract/event-schemas.ts";
import { tries } from "../support/effort.ts";
import { day, rule } from "./rules.ts";

const sameDay = async (text: string) => text;
const isoDay = (until: string) => /^(\d{4})(\d\d)(\d\d)$/.exec(until)?.slice(1).join("-");

describe("recurrence rules", () => {
  it("in words are the same after they are parsed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 3 }), async (rules) => {
        expect(await readPhrase(phraseOf(rules), "--repeat", sameDay)).toEqual(rules);
      }),
      { numRuns: tries(2000) },
    );
  });

  it("as RRULEs are the same after they are parsed", () => {
    fc.assert(
      fc.property(rule, (one) => {
        expect(readRrule(rruleOf(one), isoDay)).toEqual({ rules: [one] });
      }),
      { numRuns: tries(2000) },
    );
  });

  const some = (min: number, max: number) =>
    fc.uniqueArray(
      fc.integer({ min, max }).filter((number) => number !== 0),
      { maxLength: 3 },
    );
  const rrule = fc
    .record({
      FREQ: fc.constantFrom(...frequencies.map((freq) => freq.toUpperCase())),
      INTERVAL: fc.constantFrom(1, 1, 2, 3),
      BYMONTH: some(1, 12),
      BYMONTHDAY: some(-1, 31),
      BYDAY: fc.uniqueArray(
        fc
          .tuple(fc.constantFrom("", "", "1", "2", "5", "-1"), fc.constantFrom(...weekdays))
          .map((parts) => parts.join("")),
        { maxLength: 3 },
      ),
      BYSETPOS: fc.oneof(fc.constant([]), some(-1, 5)),
    })
    .map((parts) =>
      Object.entries(parts)
        .filter(([, value]) => !Array.isArray(value) || value.length > 0)
        .map(([key, value]) => `${key}=${value}`)
        .join(";"),
    );

  it("read from any RRULE give the same days, or are refused", () => {
    let read = 0;
    fc.assert(
      fc.property(rrule, day, (text, start) => {
        const found = readRrule(text, isoDay);
        if ("issues" in found) return;
        read += 1;
        const union = found.rules.flatMap((one) => daysOf(rruleOf(one), start));
        expect([...new Set(union)].sort()).toEqual(daysOf(text, start));
      }),
      { numRuns: tries(800) },
    );
    // About one in five of these rules can be read; far fewer in hardly any run.
    expect(read).toBeGreaterThan(tries(20));
  });
});

/** The days on which a rule comes, in three years from its start. */
function daysOf(text: string, start: string): string[] {
  const dtstart = `${basicDay(start)}T120000Z`;
  const rule = new RRuleTemporal({ rruleString: `DTSTART:${dtstart}\nRRULE:${text}` });
  const last = `${Number(start.slice(0, 4)) + 3}${start.slice(4)}T12:00:00Z`;
  return rule.between(new Date(`${start}T00:00:00Z`), new Date(last), true).map((date) => date.toString().slice(0, 10));
}
