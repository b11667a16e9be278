import type { Paint } from "../../terminal/colors.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";

const levels: Readonly<Record<number, string>> = { 20: "DEBUG", 30: "INFO", 40: "WARN", 50: "ERROR", 60: "FATAL" };
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export const logFormats = ["auto", "pretty", "json"] as const;
export const warnLevel = 40;

/** Converts the JSON lines of the log to readable ones: `12:30:05 INFO  request  method=GET status=200`. */
export function createLogLines(paint: Paint, write: (line: string) => void): { write(line: string): void } {
  return {
    write(line) {
      const { level, time, pid: _pid, hostname: _hostname, msg = "", err, ...more } = JSON.parse(line);
      const name = (levels[level] ?? String(level)).padEnd(5);
      const clock = new Date(time).toTimeString().slice(0, 8);
      const facts = Object.entries(more).map(([key, value]) => `${paint.dim(`${key}=`)}${textOf(value)}`);
      const painted = level >= warnLevel ? paint.error(name) : paint.key(name);
      const stack = err?.stack ? `\n${String(err.stack).split("\n").map(sanitizeLine).join("\n")}` : "";
      write(`${paint.dim(clock)} ${[`${painted} ${sanitizeLine(msg)}`, ...facts].join("  ")}${stack}\n`);
    },
  };
}

const textOf = (value: unknown): string => sanitizeLine(typeof value === "string" ? value : JSON.stringify(value));
