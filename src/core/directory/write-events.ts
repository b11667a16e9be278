import { sql } from "kysely";
import type { Trigger } from "../../contract/webhooks.ts";
import { insertRows } from "../../store/bulk.ts";
import { waitForTurn } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { insertEvents, listeningSeconds, newDelivery, newEvent, type RecordedChange } from "../pipeline/outbox.ts";
import { asAdministrator } from "../pipeline/permissions.ts";
import { presentFullUnits } from "./present-units.ts";
import { presentUsers } from "./present-users.ts";

/** Events presented and written at a time, so that a very large change needs little memory, and other requests can run in between. */
const portion = 500;
/** The advisory lock under which events become visible in the order of their IDs. */
const orderLock = 0x77637365;

const receiverRows = prepared((db, p: { since: number }) =>
  db
    .selectFrom("webhooks")
    .select(["id", "triggers"])
    .where("active", "=", 1)
    .unionAll(
      db
        .selectFrom("event_listening")
        .select([sql.lit(0).as("id"), sql.lit("").as("triggers")])
        .where("polled_at", ">", p.since),
    ),
);

/** Returns who receives events: those who listen, and the webhooks for a trigger. */
export async function findEventReceivers(ctx: Ctx) {
  const rows = await receiverRows(ctx.db, { since: ctx.now - listeningSeconds });
  const listened = rows.some((row) => row.id === 0);
  const webhooks = rows
    .filter((row) => row.id !== 0)
    .map(({ id, triggers }) => ({ id, triggers: JSON.parse(triggers) }));
  const receivers = (trigger: Trigger) => webhooks.filter((each) => each.triggers.includes(trigger));
  return { listened, receivers, isReported: (trigger: Trigger) => listened || receivers(trigger).length > 0 };
}

/** Writes changes as events with their deliveries in the transaction of the change. Skips events that nobody receives. */
export async function writeEvents(ctx: Ctx, changes: readonly RecordedChange[]): Promise<void> {
  const { listened, receivers, isReported } = await findEventReceivers(ctx);
  if (!changes.some(({ trigger }) => isReported(trigger))) return;
  const wanted = mergeChanges(changes).filter(({ trigger }) => isReported(trigger));
  if (wanted.length === 0) return;
  // Makes events visible in the order of their IDs, because clients that continue after an ID must not miss a lower one
  // committed later: PostgreSQL assigns IDs before the commit.
  if (listened) await waitForTurn(ctx.db, orderLock);
  for await (const some of inTurns(wanted, portion)) {
    const events = await presentChanges(ctx, some);
    const ids = await insertEvents(ctx, events);
    const deliveries = events.flatMap(({ type, message_id }) =>
      // insertEvents returns an ID for each event.
      receivers(type).map(({ id }) => newDelivery(ctx, ids.get(message_id)!, id)),
    );
    await insertRows(ctx.db, "deliveries", deliveries);
  }
  ctx.announce("outbox", "webhook-events");
}

/** Reduces the changes of the transaction to one per object. */
function mergeChanges(changes: readonly RecordedChange[]): RecordedChange[] {
  const byThing = new Map<string, RecordedChange>();
  for (const change of changes) {
    const [kind, verb] = change.trigger.split(".");
    const thing = `${kind} ${change.id}`;
    if (verb !== "update" || !byThing.has(thing)) byThing.set(thing, change);
  }
  return [...byThing.values()];
}

async function presentChanges(ctx: Ctx, changes: readonly RecordedChange[]) {
  const administrator = asAdministrator(ctx);
  const idsOf = (kind: string) =>
    changes.filter((each) => each.trigger.startsWith(kind) && !each.before).map((each) => each.id);
  const users = new Map((await presentUsers(administrator, idsOf("user."))).map((user) => [user.id, user]));
  const units = new Map((await presentFullUnits(administrator, idsOf("unit."))).map((unit) => [unit.id, unit]));
  return changes.flatMap(({ trigger, id, before }) => {
    const isUser = trigger.startsWith("user.");
    const data = before ?? (isUser ? users.get(id) : units.get(id));
    return data === undefined ? [] : [{ ...newEvent(ctx, trigger, data), user_id: isUser ? id : null }];
  });
}
