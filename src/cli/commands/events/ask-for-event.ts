import { UsageError } from "../../errors/cli-errors.ts";
import type { WizardRun } from "../../kit/command-spec.ts";
import { chooseSeveral } from "../../kit/find-by-name.ts";
import { flagWords } from "../../kit/shown-line.ts";
import { checkZone } from "../../output/create-output.ts";
import { readDay, readTimeAhead } from "../../time/parse-time.ts";
import { readPhrase } from "../../time/recurrence/parse-phrase.ts";

type Values = Record<string, unknown>;

export async function askForEvent(run: WizardRun): Promise<Values> {
  const event: Values = { ...run.input };
  if (event.date === undefined) Object.assign(event, await askWhen(run));
  if (event.location === undefined) {
    const place = (await (await run.terminal.ask()).text("Place (Enter for none):")).trim();
    if (place !== "") {
      event.location = place;
      run.record(...flagWords("--location", place));
    }
  }
  if (event.recurrence === undefined) Object.assign(event, await askRepetition(run));
  return { ...event, ...(await askAudience(run)) };
}

async function askWhen({ input, terminal, zone: given, record }: WizardRun): Promise<Values> {
  const zone = checkZone(given);
  const ask = await terminal.ask();
  if (input.all_day ?? ((input.start ?? input.end) === undefined && (await ask.confirm("All day?")))) {
    const day = await answered(terminal, "Day (for example 2026-12-24 or tomorrow):", (text) =>
      readDay(text, "It", zone),
    );
    if (input.all_day !== true) record("--all-day");
    record("--date", day.text);
    return { all_day: true, date: day.value };
  }
  const askFor = async (flag: string, question: string, after?: number, defaultAnswer?: string) => {
    const read = async (answer: string) => {
      const time = await readTimeAhead(answer, "It", { zone, after });
      if (flag === "--start" && typeof input.end === "number" && time > input.end)
        throw new UsageError("It must not be after --end");
      if (after !== undefined && time < after) throw new UsageError("It must not be before the start");
      return time;
    };
    const { text, value } = await answered(terminal, question, read, defaultAnswer);
    record(flag, text);
    return value;
  };
  const start = (input.start as number | undefined) ?? (await askFor("--start", "Start (for example 'friday 14:00'):"));
  const end = input.end ?? (await askFor("--end", "End (for example 15:30 or +90m):", start, "+1h"));
  return { start, end };
}

async function askRepetition({ terminal, zone: given, record }: WizardRun): Promise<Values> {
  const zone = checkZone(given);
  const question = "Repeat (for example 'every tuesday until 2026-12-31'):";
  const read = (phrase: string) => readPhrase(phrase, "It", (day) => readDay(day, "until", zone));
  const { text, value } = await answered(terminal, question, read, "never");
  if (value.length === 0) return {};
  record("--repeat", text);
  return { recurrence: value };
}

async function askAudience(run: WizardRun): Promise<Values> {
  const { type, shares, units, userTypes } = run.input;
  if (type === "user")
    return { shares: shares ?? (await chooseSeveral("users", "--shares", "Share it with", "Nobody", run)) };
  return {
    units: units ?? (await chooseSeveral("units", "--units", "Units", "Your own unit", run)),
    userTypes:
      userTypes ?? (await chooseSeveral("usertypes", "--user-types", "User types that can read it", "All", run)),
  };
}

/** Asks until `read` accepts the answer. Returns the answer and what `read` makes of it. */
async function answered<T>(
  terminal: WizardRun["terminal"],
  question: string,
  read: (text: string) => Promise<T>,
  defaultAnswer?: string,
): Promise<{ text: string; value: T }> {
  const ask = await terminal.ask();
  for (;;) {
    const text = (await ask.text(question, undefined, defaultAnswer)).trim();
    try {
      return { text, value: await read(text) };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      terminal.note([error.message, error.hint].filter(Boolean).join("; "));
    }
  }
}
