import type { Dispatcher } from "undici";
import { parseRetryAfter } from "../../contract/retry-after.ts";
import { describeAttemptFailure } from "./failure-status.ts";

/** Maximum number of bytes to read of a response; then the connection is closed. */
const readBytes = 65_536;
/** Maximum number of bytes in the log of the body, and of all headers together. */
const loggedBytes = 4096;

export interface AttemptOutcome {
  /** The HTTP status, or the type of failure without a response. */
  readonly status: string;
  readonly error: string | null;
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds. */
  readonly retryAfter: number | undefined;
  readonly response: { headers: Record<string, string>; body: string; cut: boolean } | null;
}

type Headers = Record<string, string | string[] | undefined>;

interface AttemptOptions {
  /** Milliseconds for the whole attempt, from the lookup of the name to the last byte of the answer. */
  readonly timeout: number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly onEnd: (attempt: Attempt, answer: AttemptOutcome) => void;
}

/** Handles one request on undici's bare dispatcher, without streams and signals, which take more time than the rest. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #loggedBody: Buffer[] = [];
  #read = 0;
  #over = false;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { status: number; headers: Headers } | undefined;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#late(), options.timeout);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error("The attempt has already ended."));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Statuses below 200 precede the actual response.
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#loggedBody.push(chunk.subarray(0, Math.max(loggedBytes - this.#read, 0)));
    this.#read += chunk.length;
    if (this.#read < readBytes || this.#over) return;
    this.#answered();
    controller.abort(new Error("the rest of the answer is not read"));
  }

  onResponseEnd(): void {
    this.#answered();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end({ ...describeAttemptFailure(error), response: null, retryAfter: undefined });
  }

  cut(): void {
    this.#giveUp("The attempt was aborted because its process ended.");
  }

  #late(): void {
    const what = this.#head ? "The answer did not end" : "There was no answer";
    this.#giveUp(`${what} within ${this.#options.timeout / 1000} seconds.`);
  }

  #giveUp(error: string): void {
    this.#end({ status: "timeout", error, response: null, retryAfter: undefined });
    this.#controller?.abort(new Error(error));
  }

  #answered(): void {
    // undici reports the head, whose status is at least 200, before the body and the end.
    const { status, headers } = this.#head!;
    const good = status < 300;
    this.#end({
      status: String(status),
      error: good ? null : sentenceFor(status),
      retryAfter: good ? undefined : parseRetryAfter([headers["retry-after"]].flat()[0], this.#options.clock()),
      response: {
        headers: loggedHeaders(headers),
        body: Buffer.concat(this.#loggedBody).toString(),
        cut: this.#read > loggedBytes,
      },
    });
  }

  #end(outcome: Omit<AttemptOutcome, "duration">): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#options.onEnd(this, { ...outcome, duration: Math.round(performance.now() - this.#began) });
  }
}

/** Describes a status that is no success, so at least 300. */
function sentenceFor(status: number): string {
  if (status === 410) return "The receiver is gone (410); the webhook is disabled.";
  if (status < 400 && status !== 304) return `Redirects are not followed (${status}).`;
  return `The receiver answered ${status}.`;
}

function loggedHeaders(headers: Headers): Record<string, string> {
  const logged: Record<string, string> = {};
  let size = 0;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
    size += name.length + text.length;
    if (size > loggedBytes) break;
    logged[name] = text;
  }
  return logged;
}
