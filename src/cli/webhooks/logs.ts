import type { ArgumentsOf, Caller, OutputOf } from "../../contract/operation.ts";
import { webhooks } from "../../contract/webhooks.ts";
import { ConditionError, UsageError } from "../failure.ts";
import { answerOf, sleep } from "../following.ts";
import { createOutput } from "../output.ts";
import { type Item, type Page, walk } from "../paging.ts";
import { readScalar } from "../scalars.ts";
import { readDuration, readTime } from "../times.ts";
import type { Context } from "../tree.ts";

/** Milliseconds between two looks at the log. */
const pause = 500;
const standardWait = "60s";
const columns = ["id", "created_at", "event", "status", "attempt", "duration_ms", "error"];

/** Entries asked for at a time. */
const most = 500;

type Filter = ArgumentsOf<typeof webhooks.logs>;
type Entries = OutputOf<typeof webhooks.logs>;

/** `wcs webhooks logs`: the log as it is, as it grows, or until an entry is in it. */
export async function logs(context: Context): Promise<void> {
  const { flags, globals, terminal } = context;
  if (flags.follow && flags.wait) throw new UsageError("--follow and --wait exclude each other");
  const filter = await readFilter(context);
  const { caller } = await context.connect();
  try {
    const endless = flags.follow === true;
    const output = createOutput({ op: webhooks.logs, columns, items: "attempts", endless }, globals, terminal);
    if (flags.wait) return await output.one(await waitForEntry(caller, filter, context));
    if (flags.follow) return await output.list(follow(caller, filter, context));
    const limit =
      flags.limit === undefined
        ? undefined
        : (readScalar({ kind: "integer" }, String(flags.limit), "--limit") as number);
    await output.list(walk(caller, webhooks.logs, { ...filter }, { all: flags.all === true, limit }));
  } finally {
    await caller.close();
  }
}

interface Given {
  readonly event?: NonNullable<Filter["event"]>;
  readonly status?: string;
  readonly since?: string;
  readonly after?: string;
}

async function readFilter({ args, flags, globals }: Context): Promise<Filter> {
  const id = readScalar({ kind: "integer" }, args.id as string, "<id>") as number;
  const { event, status, since, after } = flags as Given;
  return {
    id,
    ...(event !== undefined && { event }),
    ...(status !== undefined && { status }),
    ...(after !== undefined && { after: readScalar({ kind: "integer" }, after, "--after") as number }),
    ...(since !== undefined && { since: await readTime(since, "--since", globals.tz) }),
  };
}

/** The first entry that fits, whether it is there already or comes in time. */
async function waitForEntry(caller: Caller, filter: Filter, { globals, terminal }: Context): Promise<Item> {
  const length = globals.timeout ?? standardWait;
  const deadline = performance.now() + readDuration(length, "--timeout") * 1000;
  const look = async (): Promise<Item> => {
    for (;;) {
      const { data } = await caller.call(webhooks.logs, { ...filter, limit: 1 });
      if (data[0]) return data[0];
      if (performance.now() >= deadline) {
        const { event = "any event", status = "any status" } = filter;
        throw new ConditionError(`no attempt with ${event} and ${status} within ${length}`);
      }
      await sleep(Math.min(pause, Math.max(deadline - performance.now(), 1)));
    }
  };
  return terminal.spin("waiting for the webhook to be called", look());
}

/** Entries as they come, in the order in which they were written; without --since or --after those from now on. */
async function* follow(caller: Caller, filter: Filter, { terminal }: Context): AsyncGenerator<Page> {
  const newest = async () => (await caller.call(webhooks.logs, { id: filter.id, limit: 1 })).data[0]?.id ?? 0;
  let seen = filter.after ?? (filter.since === undefined ? await newest() : 0);
  for (;;) {
    const input = { ...filter, after: seen, limit: most };
    const ask = (page: number) => answerOf(() => caller.call(webhooks.logs, { ...input, page }), terminal);
    for await (const data of fromTheEnd(ask)) {
      const items = data.filter(({ id }) => id > seen).toReversed();
      seen = items.at(-1)?.id ?? seen;
      if (items.length > 0) yield { items, more: false, response: data };
    }
    await sleep(pause);
  }
}

/** Pages from the last to the first. Entries that come meanwhile move others to later pages: those are read twice, none is missed. */
async function* fromTheEnd(ask: (page: number) => Promise<Entries>): AsyncGenerator<Entries["data"]> {
  const first = await ask(1);
  if (first.data.length < most) return yield first.data;
  let last = first.meta.last_page;
  // A long log is not counted to its end.
  while ((await ask(last + 1)).data.length > 0) last += 1;
  for (let page = last; page > 0; page--) yield (await ask(page)).data;
}
