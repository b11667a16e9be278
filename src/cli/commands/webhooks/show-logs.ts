import { sleep } from "../../../contract/abortable-sleep.ts";
import { listAll, pluralize } from "../../../contract/count-text.ts";
import type { Caller, InputOf, OutputOf } from "../../../contract/operation.ts";
import { webhooks } from "../../../contract/webhooks.ts";
import { ConditionError, UsageError } from "../../errors/cli-errors.ts";
import type { Context, OperationRun } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import type { Page } from "../../output/item.ts";
import { pollAnswer } from "../../session/poll.ts";
import { readDuration } from "../../time/parse-time.ts";

const pause = 500;
const defaultWait = "60s";

const pageSize = 500;

type Filter = InputOf<typeof webhooks.logs>;
type Entries = OutputOf<typeof webhooks.logs>;
type Entry = Entries["data"][number];

export async function showLogs(run: OperationRun<typeof webhooks.logs>, columns: readonly string[]): Promise<void> {
  const { input, context, caller, finish, show } = run;
  const { flags } = context;
  const way = flags.follow ? "--follow" : flags.wait && "--wait";
  const other = ["wait", "watch", "page", "before"].find((name) => flags[name] !== undefined && way !== `--${name}`);
  if (way && other) throw new UsageError(`--${other} and ${way} cannot be used together`);
  if (flags.wait) return show(await waitForEntry(caller, input, context));
  if (!flags.follow) return void (await finish(input));
  const output = createOutput<Entry>({ op: webhooks.logs, columns, uncut: ["event"], endless: true }, context);
  await output.list(follow(caller, input, context));
}

/** Returns the newest entry that matches, existing or new. Throws a `ConditionError` when none arrives within --timeout. */
async function waitForEntry(caller: Caller, filter: Filter, { globals, terminal }: Context): Promise<Entry> {
  const length = globals.timeout ?? defaultWait;
  const deadline = performance.now() + readDuration(length, "--timeout") * 1000;
  const look = async (): Promise<Entry> => {
    for (;;) {
      const ask = () => caller.call(webhooks.logs, { ...filter, limit: 1 });
      const { data } = await pollAnswer(ask, terminal, { deadline });
      if (data[0]) return data[0];
      if (performance.now() >= deadline) {
        const names = (["event", "user", "status"] as const).filter((name) => filter[name] !== undefined);
        const which = listAll(names.map((name) => `${name} ${filter[name]}`));
        const others = await describeOthers(caller, filter);
        throw new ConditionError(`no attempt${which && ` with ${which}`} arrived within ${length}${others}`);
      }
      await sleep(Math.min(pause, Math.max(deadline - performance.now(), 1)));
    }
  };
  return terminal.spin("waiting for the webhook to be called", look());
}

/** Returns the number of attempts with each other status, such as `, but 1 attempt with status 204`. */
async function describeOthers(caller: Caller, { status: _, ...filter }: Filter): Promise<string> {
  const { data } = await caller.call(webhooks.logs, { ...filter, limit: pageSize });
  const counts = new Map<string, number>();
  for (const { status } of data) counts.set(status, (counts.get(status) ?? 0) + 1);
  const others = [...counts].map(([status, count]) => `${pluralize(count, "attempt")} with status ${status}`);
  return others.length === 0 ? "" : `, but ${listAll(others)}`;
}

/** Yields entries as they arrive, oldest first. Starts with new entries unless --since or --after is given. */
async function* follow(caller: Caller, filter: Filter, { terminal }: Context): AsyncGenerator<Page<Entry>> {
  const newest = async () => (await caller.call(webhooks.logs, { id: filter.id, limit: 1 })).data[0]?.id ?? 0;
  let seen = filter.after ?? (filter.since === undefined ? await newest() : 0);
  for (;;) {
    const input = { ...filter, after: seen, limit: pageSize };
    const ask = (page: number) => pollAnswer(() => caller.call(webhooks.logs, { ...input, page }), terminal);
    for await (const data of fromTheEnd(ask)) {
      const items = data.filter(({ id }) => id > seen).toReversed();
      seen = items.at(-1)?.id ?? seen;
      if (items.length > 0) yield { items, more: false, response: data };
    }
    await sleep(pause);
  }
}

/** Yields pages from the last to the first: new entries move others to later pages, so some may be read twice, but none is missed. */
async function* fromTheEnd(ask: (page: number) => Promise<Entries>): AsyncGenerator<Entries["data"]> {
  const first = await ask(1);
  if (first.data.length < pageSize) return yield first.data;
  let last = first.meta.last_page;
  // The service does not count a long log completely, so there may be pages after `last_page`.
  while ((await ask(last + 1)).data.length > 0) last += 1;
  for (let page = last; page > 0; page--) yield (await ask(page)).data;
}
