import { createHash } from "node:crypto";
import { url } from "../../../../contract/common-schemas.ts";
import type { FieldErrors } from "../../../../contract/errors.ts";
import { type Rule, uid } from "../../../../contract/event-schemas.ts";
import type { RawComponent } from "./ics-components.ts";
import { type Properties, propertiesOf } from "./ics-properties.ts";
import { readRecurrence } from "./ics-recurrence.ts";
import { type IcsTimes, icsTimesOf } from "./ics-times.ts";
import type { IcsContext } from "./ics-zones.ts";
import { plainText, textOnOneLine } from "./jcal.ts";

export interface ReadEvent extends IcsTimes {
  readonly uid: string;
  readonly title: string;
  readonly body: string;
  readonly location: string | null;
  readonly link: string;
  readonly recurrence: readonly Rule[];
  /** Type of the event where it was exported (X-WCS-TYPE). */
  readonly type: string | undefined;
  readonly isPrivate: boolean;
  /** Reasons why properties are not imported, by name. */
  readonly notImported: FieldErrors;
}

/** Parses a VEVENT. Returns the reason when it cannot be imported, as a sentence without its subject. */
export function readEvent(component: RawComponent, context: IcsContext): ReadEvent | string {
  if (!component.isWhole) return "has no END:VEVENT";
  const found = propertiesOf(component.lines);
  if (typeof found === "string") return found;
  const value = (name: string) => String(found.first(name)?.value ?? "");
  const text = (name: string) => plainText(value(name));
  if (found.first("recurrence-id"))
    return `changes one occurrence of the event ${text("uid")} (RECURRENCE-ID), which is not kept`;
  if (text("status").toUpperCase() === "CANCELLED") return "is cancelled (STATUS)";
  if (text("summary").trim() === "") return "has no title (SUMMARY)";
  const times = icsTimesOf(found, context);
  if (typeof times === "string") return times;
  const repeats = readRecurrence(found, times, context);
  const link = text("url");
  const isLink = link === "" || url().safeParse(link).success;
  return {
    ...times,
    uid: uidOf(text("uid").trim(), component.lines),
    title: textOnOneLine(value("summary"), " ").trim(),
    body: text("description"),
    location: textOnOneLine(value("location"), ", ") || null,
    link: isLink ? link : "",
    recurrence: repeats.rules,
    type: text("x-wcs-type").toLowerCase() || undefined,
    isPrivate: ["PRIVATE", "CONFIDENTIAL"].includes(text("class").toUpperCase()),
    notImported: {
      ...unsupportedIn(found, component),
      ...(!isLink && { URL: ["is not an http or https URL"] }),
      ...repeats.notImported,
    },
  };
}

/** Returns the UID. Derives one from the properties when it is missing or invalid, so another import finds the same. */
function uidOf(given: string, lines: readonly string[]): string {
  if (uid().safeParse(given).success) return given;
  const identifying = lines.filter((line) => /^(UID|DTSTART|DTEND|DURATION|RRULE|SUMMARY)\b/i.test(line));
  return createHash("sha256").update(identifying.sort().join("\n")).digest("hex");
}

/** Properties that are reported as not imported, because events have no field for them. */
const unsupported = ["ATTENDEE", "ATTACH", "CATEGORIES", "COMMENT", "CONTACT"];

function unsupportedIn({ count }: Properties, { inner }: RawComponent): FieldErrors {
  const alarms = inner.filter((name) => name === "VALARM").length;
  const counts = new Map([...unsupported.map((name) => [name, count(name)] as const), ["VALARM", alarms]]);
  return Object.fromEntries(
    [...counts]
      .filter(([, times]) => times > 0)
      .map(([name, times]) => [name, [times === 1 ? "is not kept" : `is not kept (${times} times)`]]),
  );
}
