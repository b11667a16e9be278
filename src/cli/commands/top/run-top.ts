import { sleep } from "../../../contract/abortable-sleep.ts";
import { Interrupted, UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { intervalOf } from "../../kit/watch-command.ts";
import { createOutput, formatOf } from "../../output/create-output.ts";
import { shareConnection } from "../../session/connection.ts";
import { pollAnswers } from "../../session/poll.ts";
import { createLiveScreen } from "../../terminal/live-screen.ts";
import { drawSnapshot } from "./draw-snapshot.ts";
import { openMetrics } from "./open-metrics.ts";
import { createSnapshots, type Snapshot } from "./take-snapshot.ts";

export async function runTop(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const isOnce = flags.once === true;
  if (!isOnce && !(terminal.stdoutIsTerminal && terminal.stdinIsTerminal && formatOf(context) === "table"))
    throw new UsageError("wcs top draws on a terminal", { hint: "use --once to print a single screen" });
  const pause = intervalOf(flags.interval) * 1000;
  const stop = new AbortController();
  const { signal } = stop;
  if (!isOnce) terminal.signals.take(() => stop.abort(new Interrupted()));
  const connection = await context.connect();
  using metrics = openMetrics(context, connection.target, signal);
  const take = createSnapshots(shareConnection(connection, signal).caller, metrics.read);
  if (isOnce) await print(context, await take());
  else await drawUntilQuit(context, take, pause, stop);
}

async function print({ globals, terminal }: Context, snapshot: Snapshot): Promise<void> {
  const renderer = async () => () => {
    const one = (item: Snapshot) => terminal.write(drawSnapshot(item, terminal, globals.tz));
    return { one, page: async () => {} };
  };
  await createOutput<Snapshot>({ renderer, showEmpty: true, sample: snapshot }, { globals, terminal }).one(snapshot);
}

async function drawUntilQuit(
  { terminal, globals }: Context,
  take: () => Promise<Snapshot>,
  pause: number,
  stop: AbortController,
): Promise<void> {
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
    for await (const snapshot of pollAnswers(take, { ...terminal, note }, { signal })) {
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
