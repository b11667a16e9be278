import { BoundedMap } from "../../contract/bounded-map.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";

interface Zone {
  readonly name: string;
  /** Seconds east of UTC. */
  readonly offset: number;
}

/** The answers for the last minutes that were asked for: more than one where instances with different clocks share a process. */
const known = new BoundedMap<number, Promise<readonly Zone[]>>(2);

/** Zones that are calculated before other requests get a turn; each takes about 0.3 ms. */
const zonesAtOnce = 20;

/** Returns all time zones with their offsets. Calculates them once a minute: that takes 100 ms, and keeping the formatters 20 MB. */
export function offsetsAt(now: number): Promise<readonly Zone[]> {
  const minute = Math.floor(now / 60);
  const zones = known.get(minute) ?? calculate(minute * 60);
  known.set(minute, zones);
  return zones;
}

async function calculate(time: number): Promise<Zone[]> {
  const names = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];
  const zones: Zone[] = [];
  for (const name of names) {
    if (zones.length % zonesAtOnce === 0) await takeTurn();
    zones.push({ name, offset: offsetOf(name, time) });
  }
  return zones;
}

/** Returns seconds east of UTC at that time, parsed from a form such as GMT+05:30. */
function offsetOf(timeZone: string, time: number): number {
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(time * 1000);
  const offset = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(offset) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -total : total;
}
