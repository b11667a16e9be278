import { ServiceError } from "../../../contract/errors.ts";
import { baseOf } from "../../../http/client/base-url.ts";
import { createTransport } from "../../../http/client/transport.ts";
import { Interrupted, UsageError } from "../../errors/cli-errors.ts";
import { createSources } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { intervalOf } from "../../kit/watch-command.ts";
import { createOutput, formatOf } from "../../output/create-output.ts";
import { pollAnswers, sleep } from "../../session/poll.ts";
import { shareConnection } from "../../session/shared-connection.ts";
import type { Target } from "../../session/target.ts";
import { createLiveScreen } from "../../terminal/live-screen.ts";
import { readDuration } from "../../time/parse-time.ts";
import { drawSnapshot } from "./draw-snapshot.ts";
import { createSnapshots, type Snapshot } from "./take-snapshot.ts";

const standardTimeout = "10s";

/** `wcs top` */
export async function runTop(context: Context): Promise<void> {
  const { terminal, flags, globals } = context;
  const isOnce = flags.once === true;
  if (!isOnce && !(terminal.stdoutIsTerminal && terminal.stdinIsTerminal && formatOf(globals, terminal) === "table"))
    throw new UsageError("wcs top draws on a terminal", { hint: "use --once to print a single screen" });
  const pause = intervalOf(flags.interval) * 1000;
  const stop = new AbortController();
  const { signal } = stop;
  if (!isOnce) terminal.onInterrupt(() => stop.abort(new Interrupted()));
  const connection = await context.connect();
  const metrics = metricsOf(context, connection.target, signal);
  const take = createSnapshots(shareConnection(connection, signal).caller, metrics.read);
  try {
    if (isOnce) await print(context, await take());
    else await drawUntilQuit(context, { take, pause, stop });
  } finally {
    metrics.close();
    await connection.caller.close();
  }
}

/** Prints a snapshot as text on a terminal, and in the requested format elsewhere. */
async function print({ globals, terminal }: Context, snapshot: Snapshot): Promise<void> {
  const renderer = async () => () => {
    const one = (item: Snapshot) => terminal.write(drawSnapshot(item, terminal, globals.tz));
    return { one, page: async () => {}, end: async () => {}, value: async () => {} };
  };
  await createOutput<Snapshot>({ renderer, showEmpty: true }, globals, terminal).one(snapshot);
}

interface Drawing {
  readonly take: () => Promise<Snapshot>;
  readonly pause: number;
  readonly stop: AbortController;
}

async function drawUntilQuit({ terminal, globals }: Context, { take, pause, stop }: Drawing): Promise<void> {
  const { signal } = stop;
  const screen = createLiveScreen(terminal);
  const title = `${terminal.paint.dim("wcs top · q to quit")}\n\n`;
  let status = "";
  const note = (line: string) => {
    status = `${line}\n\n`;
    void screen.draw(title + status);
  };
  const quit = endOnKey(terminal.keys(signal), stop);
  try {
    for await (const snapshot of pollAnswers(take, { ...terminal, note }, signal)) {
      await screen.draw(title + drawSnapshot(snapshot, terminal, globals.tz));
      await sleep(pause, signal);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (signal.reason instanceof Interrupted) throw signal.reason;
  } finally {
    stop.abort();
    await quit;
    await screen.close();
  }
}

/** Ends the command on q, and on Ctrl-C, which is a key like others while keys are read one by one. */
async function endOnKey(keys: AsyncIterable<string>, stop: AbortController): Promise<void> {
  try {
    for await (const key of keys) {
      if (key.includes("\u0003")) stop.abort(new Interrupted());
      else if (/^q/i.test(key)) stop.abort();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

/** Returns a function that reads GET /metrics of the instance, with the token in WCS_METRICS_TOKEN. */
function metricsOf({ terminal, globals, flags }: Context, { remote, address }: Target, signal: AbortSignal) {
  const url = (flags.metricsUrl as string | undefined) ?? (remote ? address : undefined);
  if (url === undefined) {
    const read = async (): Promise<string> => {
      throw new ServiceError(
        "not_found",
        "Requests and the queue: a database has no metrics; use --url or --metrics-url.",
      );
    };
    return { read, close: () => {} };
  }
  const base = baseOf(url);
  const ca = globals.caFile === undefined ? undefined : createSources(terminal).file(globals.caFile, "--ca-file");
  const transport = createTransport(base, terminal.env, ca);
  const token = terminal.env.WCS_METRICS_TOKEN;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const timeout = readDuration(globals.timeout ?? standardTimeout, "--timeout") * 1000;
  return {
    async read() {
      const target = `${base.prefix.replace(/\/metrics$/, "")}/metrics`;
      const { status, body } = await transport.send("GET", target, { headers, timeout, signal });
      if (status === 200) return body.toString();
      if (status === 503) throw new ServiceError("unavailable", `${base.origin} is not available.`);
      const way = token
        ? "WCS_METRICS_TOKEN is not that of the instance"
        : "set WCS_METRICS_TOKEN, or use --metrics-url";
      throw new ServiceError(
        "not_found",
        `Requests and the queue: ${base.origin} shows no metrics (${status}); ${way}.`,
      );
    },
    close: () => transport.close(),
  };
}
