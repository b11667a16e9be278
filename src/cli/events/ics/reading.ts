import { createHash } from "node:crypto";
import type ICAL from "ical.js";
import { type Rule, uid } from "../../../contract/event-forms.ts";
import { url } from "../../../contract/fields.ts";
import type { RawComponent } from "./components.ts";
import { plainText, textOnOneLine } from "./jcal.ts";
import { type Properties, propertiesOf } from "./properties.ts";
import { repeatsOf } from "./repeats.ts";
import { type Times, timesOf } from "./times.ts";
import type { Zone, Zones } from "./zones.ts";

/** An event as a file describes it. */
export interface ReadEvent extends Times {
  readonly line: number;
  readonly uid: string;
  readonly title: string;
  readonly body: string;
  readonly location: string | null;
  readonly link: string;
  readonly recurrence: readonly Rule[];
  /** What it was of where it was exported from, if it tells. */
  readonly type: string | undefined;
  /** Not for everybody (CLASS). */
  readonly isPrivate: boolean;
  /** What it says that is not kept, by the name of the property. */
  readonly without: Readonly<Record<string, readonly string[]>>;
}

/** What is known where events are read. */
export interface Surroundings {
  readonly library: typeof ICAL;
  readonly zones: Zones;
  /** The clocks of the instance, by which events come again. */
  readonly clock: Zone;
}

/** Reads a VEVENT; or why it cannot go in, as a sentence without its subject. */
export function readEvent(component: RawComponent, surroundings: Surroundings): ReadEvent | string {
  if (!component.isWhole) return "has no END:VEVENT";
  const found = propertiesOf(component.lines, surroundings.library);
  if (typeof found === "string") return found;
  const value = (name: string) => String(found.first(name)?.value ?? "");
  const text = (name: string) => plainText(value(name));
  if (found.first("recurrence-id"))
    return `changes one occurrence of the event ${text("uid")} (RECURRENCE-ID), which is not kept`;
  if (text("status").toUpperCase() === "CANCELLED") return "is cancelled (STATUS)";
  if (text("summary").trim() === "") return "has no title (SUMMARY)";
  const times = timesOf(found, surroundings);
  if (typeof times === "string") return times;
  const repeats = repeatsOf(found, times, surroundings);
  const link = text("url");
  const isLink = link === "" || url().safeParse(link).success;
  return {
    ...times,
    line: component.line,
    uid: uidOf(text("uid").trim(), component.lines),
    title: textOnOneLine(value("summary"), " "),
    body: text("description"),
    location: textOnOneLine(value("location"), ", ") || null,
    link: isLink ? link : "",
    recurrence: repeats.rules,
    type: text("x-wcs-type").toLowerCase() || undefined,
    isPrivate: ["PRIVATE", "CONFIDENTIAL"].includes(text("class").toUpperCase()),
    without: { ...lostOf(found, component), ...(!isLink && { URL: ["is no http or https URL"] }), ...repeats.without },
  };
}

/** One that is missing, too long or not on one line is made of what the event says: read again, it is the same. */
function uidOf(given: string, lines: readonly string[]): string {
  if (uid().safeParse(given).success) return given;
  const told = lines.filter((line) => /^(UID|DTSTART|DTEND|DURATION|RRULE|SUMMARY)\b/i.test(line));
  return createHash("sha256").update(told.sort().join("\n")).digest("hex");
}

/** Properties that mean something and have no place in an event here. */
const lost = ["ATTENDEE", "ATTACH", "CATEGORIES", "COMMENT", "CONTACT"];

function lostOf({ count }: Properties, { inner }: RawComponent): Record<string, string[]> {
  const counted = lost.map((name) => [name, count(name)] as const).filter(([, times]) => times > 0);
  const alarms = inner.filter((name) => name === "VALARM").length;
  return Object.fromEntries(
    [...counted, ...(alarms > 0 ? [["VALARM", alarms] as const] : [])].map(([name, times]) => [
      name,
      [times === 1 ? "is not kept" : `is not kept (${times} times)`],
    ]),
  );
}
