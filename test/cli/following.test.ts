import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { longPollSeconds, pollAnswers } from "../../src/cli/session/poll.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { ServiceError } from "../../src/contract/errors.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the yielded answers, the notes and the error that ended them, for a sequence of answers and errors. */
async function follow(answers: readonly (string | Error)[]) {
  const notes: string[] = [];
  const yielded: string[] = [];
  const terminal = { note: (line: string) => void notes.push(line) } as Terminal;
  const left = [...answers];
  const ask = async () => {
    const answer = left.shift() ?? new Error("the end");
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const ended = (async () => {
    for await (const answer of pollAnswers(ask, terminal)) yielded.push(answer);
  })().catch((error: Error) => error.message);
  await vi.runAllTimersAsync();
  return { notes, yielded, ended: await ended };
}

const away = () => new ServiceError("unavailable", "It is away.");
const busy = () => new ServiceError("too_many_requests", "It is busy.", { retryAfter: 60 });
const waits = "It is away. Retrying until it is back.";
const back = "The service is back.";

it("pollAnswers reports once that it waits, and once that the service is back, however often it retried", async () => {
  expect(await follow(["a", away(), away(), busy(), away(), "b", "c", away(), "d"])).toEqual({
    yielded: ["a", "b", "c", "d"],
    notes: [waits, back, waits, back],
    ended: "the end",
  });
});

it("pollAnswers ends with an error that is no outage", async () => {
  expect(await follow(["a", new ServiceError("not_found", "There is no conversation 5."), "b"])).toEqual({
    yielded: ["a"],
    notes: [],
    ended: "There is no conversation 5.",
  });
});

it("a long poll is shorter than the request timeout", () => {
  const patience = (timeout?: string) => longPollSeconds({ timeout, header: true, color: true, input: true } as never);
  expect(patience()).toBe(25);
  expect(patience("10m")).toBe(25);
  expect(patience("9s")).toBe(4);
  expect(patience("1s")).toBe(1);
});
