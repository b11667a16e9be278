import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { execute } from "../../src/cli/main.ts";
import { noSignals } from "../../src/cli/terminal/signals.ts";
import { mask } from "./mask-output.ts";
import { startReceiver } from "./receive-callbacks.ts";
import { type Exchange, startRecorder } from "./record-requests.ts";
import { referenceTerminal } from "./reference-terminal.ts";
import { signature, writeSampleFiles } from "./sample-files.ts";
import { parseLine } from "./session-line.ts";

/** A command line of the session with its output and exit code. */
export interface Sample {
  readonly words: readonly string[];
  readonly line: string;
  readonly output: string;
  readonly code: number;
}

/** The outputs, requests and callbacks of a session. */
interface Recording {
  readonly samples: readonly Sample[];
  readonly exchanges: readonly Exchange[];
  /** Bodies of callbacks by trigger. */
  readonly callbacks: ReadonlyMap<string, string>;
}

const quarter = 15 * 60_000;
const shownUrl = "http://127.0.0.1:8420";
const shownReceiver = "http://127.0.0.1:3000";

/** Lines that cause an event of each trigger. */
const eventLines = [
  "users create --first-name Joan --last-name Clarke --email joan@example.com --unit Sales",
  "users update joan@example.com --title Analyst",
  "users delete joan@example.com --yes",
  "units create --name Research --parent 1 --reference research",
  "units update research --description Projects",
  "units delete research --yes",
];

/** Runs the lines of session.txt at fixed times in a folder of their own. Throws when one ends with another exit code. */
export async function runSession(): Promise<Recording> {
  const session = new Session(mkdtempSync(join(tmpdir(), "wcs-reference-")));
  const before = process.cwd();
  mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 11, 1, 9) });
  process.chdir(session.folder);
  try {
    return await session.run(readFileSync(new URL("session.txt", import.meta.url), "utf8"));
  } finally {
    process.chdir(before);
    rmSync(session.folder, { recursive: true, force: true });
    mock.timers.reset();
  }
}

class Session {
  readonly folder: string;
  readonly #samples: Sample[] = [];
  readonly #issues: string[] = [];
  #stop = () => {};
  #served: Promise<unknown> | undefined;
  #recorder: Awaited<ReturnType<typeof startRecorder>> | undefined;
  #receiverUrl = shownReceiver;
  #servedUrl = shownUrl;

  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string) {
    this.folder = folder;
    this.#env = {
      HOME: folder,
      WCS_CONFIG_DIR: join(folder, "config"),
      TZ: "UTC",
      WCS_SETTING_WEBHOOKS_ALLOW_PRIVATE: "true",
    };
  }

  async run(text: string): Promise<Recording> {
    writeSampleFiles();
    const receiver = await startReceiver();
    this.#receiverUrl = receiver.url;
    try {
      for (const line of text.split("\n")) {
        // A heading starts at the next quarter of an hour, so that a new line changes the times of its section only.
        if (line.startsWith("# ")) mock.timers.setTime(Math.ceil((Date.now() + 1) / quarter) * quarter);
        if (line === "" || line.startsWith("#")) continue;
        if (line === "SERVE") await this.#serve();
        else if (line === "EVENTS") for (const each of eventLines) await this.#show(`. wcs ${each}`);
        else await this.#show(line);
      }
    } finally {
      receiver.close();
      this.#recorder?.close();
      this.#stop();
      await this.#served;
    }
    if (this.#issues.length > 0) throw new Error(this.#issues.join("\n"));
    const exchanges = (this.#recorder?.exchanges ?? []).map((each) => ({
      ...each,
      request: this.#tidy(each.request),
      response: this.#tidy(each.response),
    }));
    const callbacks = new Map([...receiver.bodies].map(([type, body]) => [type, this.#tidy(body)]));
    return { samples: this.#samples, exchanges, callbacks };
  }

  /** Runs a line on a terminal of 100 columns, waits for its callbacks, and keeps its output unless the line is hidden. */
  async #show(text: string): Promise<void> {
    const { words, line, input, profile, code: expected, hidden } = parseLine(text);
    mock.timers.tick(10_000);
    const here = words.map((word) =>
      word
        .replace(shownReceiver, this.#receiverUrl)
        .replace(shownUrl, this.#recorder?.url ?? shownUrl)
        .replace("SIGNATURE", signature),
    );
    const args = profile === undefined ? here : [...here, "--profile", profile];
    const { code, output } = await this.#execute(args, input);
    if (code !== expected) this.#issues.push(`${line} ended with ${code}:\n${output}`);
    if (!hidden)
      this.#samples.push({ words, line: mask(line.replace("SIGNATURE", signature)), output: this.#tidy(output), code });
    await this.#settle();
  }

  async #execute(args: readonly string[], input?: string): Promise<{ code: number; output: string }> {
    let output = "";
    const add = (part: string) => {
      output += part;
    };
    return { code: await execute(args, await referenceTerminal({ add, env: this.#env, input })), output };
  }

  /** Serves the database on a free port, behind a server that records the requests. */
  async #serve(): Promise<void> {
    const url = Promise.withResolvers<string>();
    const terminal = await referenceTerminal({ add: (part) => url.resolve(part.trim()), env: this.#env });
    const take = (handler: () => void) => {
      this.#stop = handler;
      return () => {};
    };
    const args = ["serve", "--port", "0", "--log-level", "silent", "--shutdown-notice", "0", "--db", "wcs.db"];
    this.#served = execute(args, { ...terminal, signals: { ...noSignals, take } });
    this.#servedUrl = await url.promise;
    this.#recorder = await startRecorder(this.#servedUrl);
  }

  /** Waits until the running server has sent all callbacks. */
  async #settle(): Promise<void> {
    if (this.#recorder === undefined) return;
    for (;;) {
      const { output } = await this.#execute("db outbox --db wcs.db --query [?what=='callback'] --json".split(" "));
      if (output.startsWith("[]")) return;
      await wait(20);
    }
  }

  #tidy(text: string): string {
    const recorder = this.#recorder?.url ?? shownUrl;
    return mask(
      text
        .replaceAll(this.folder, "/home/ada")
        .replaceAll(recorder, shownUrl)
        .replaceAll(this.#servedUrl, shownUrl)
        .replaceAll(this.#receiverUrl, shownReceiver),
    );
  }
}
