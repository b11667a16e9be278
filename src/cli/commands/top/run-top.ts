import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { watch } from "../../kit/watch-command.ts";
import { createOutput, formatOf } from "../../output/create-output.ts";
import { shareConnection } from "../../session/connection.ts";
import { drawSnapshot } from "./draw-snapshot.ts";
import { openMetrics } from "./open-metrics.ts";
import { createSnapshots, type Snapshot } from "./take-snapshot.ts";

export async function runTop(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const isOnce = flags.once === true;
  if (!isOnce && !(terminal.stdoutIsTerminal && formatOf(context) === "table"))
    throw new UsageError("wcs top draws on a terminal", { hint: "use --once to print a single screen" });
  const signal = context.stopOnInterrupt();
  const connection = await context.connect();
  using metrics = openMetrics(context, connection.target, signal);
  const take = createSnapshots(shareConnection(connection, signal).caller, metrics.read);
  if (isOnce) return print(context, await take());
  await watch(context, ["top"], async (screen) => print({ ...context, ...screen }, await take()));
}

async function print({ globals, terminal }: Pick<Context, "globals" | "terminal">, snapshot: Snapshot): Promise<void> {
  const renderer = async () => () => {
    const one = (item: Snapshot) => terminal.write(drawSnapshot(item, terminal, globals.tz));
    return { one, page: async () => {} };
  };
  await createOutput<Snapshot>({ renderer, showEmpty: true, sample: snapshot }, { globals, terminal }).one(snapshot);
}
