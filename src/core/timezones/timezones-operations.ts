import type { timezones as contract } from "../../contract/timezones.ts";
import type { Handlers } from "../pipeline/context.ts";

export const timezones: Handlers<typeof contract> = {
  async list(ctx) {
    const names = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];
    const data = names.map((name) => ({ name, offset: offsetOf(name, ctx.now) }));
    return { data, instance: ctx.settings.timezone };
  },
};

/** Returns seconds east of UTC at that time, parsed from a form such as GMT+05:30. */
function offsetOf(timeZone: string, now: number): number {
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(now * 1000);
  const offset = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(offset) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -total : total;
}
