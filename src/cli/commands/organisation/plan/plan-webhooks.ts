import { webhooks } from "../../../../contract/webhooks.ts";
import { walkItems } from "../../../kit/walk-list.ts";
import type { Task } from "./change.ts";
import { webhookEntry } from "./current-entries.ts";
import { compareEntry, onlyOnce, type Planning, removal } from "./plan-context.ts";

export async function planWebhooks(planning: Planning): Promise<Task<"webhooks">[]> {
  const { organisation, caller, issues, prune } = planning;
  const entries = organisation.webhooks;
  if (entries === undefined) return [];
  const present = await Array.fromAsync(walkItems(caller, webhooks.list, {}));
  const byName = Map.groupBy(present, (webhook) => webhook.name);
  const once = onlyOnce("webhooks", issues);
  const named = new Set<string>();
  const tasks = entries.flatMap((entry, at) => {
    if (entry.name === undefined || !once(entry.name, at, "name")) return [];
    named.add(entry.name);
    const [webhook, other] = byName.get(entry.name) ?? [];
    if (webhook && other) {
      const both = `is the name of webhooks ${webhook.id} and ${other.id}`;
      issues.add(["webhooks", at, "name"], `${both}; run wcs webhooks update ${other.id} --name NAME`);
    }
    if (webhook === undefined && entry.uri === undefined) {
      issues.require(["webhooks", at, "uri"], "because the webhook does not exist yet");
    }
    const sorted = { ...entry, ...(entry.triggers && { triggers: [...new Set(entry.triggers)].sort() }) };
    const existing = webhook && { id: webhook.id, entry: webhookEntry(webhook) };
    return compareEntry("webhooks", sorted, existing, at) ?? [];
  });
  const left = prune ? present.filter((webhook) => !named.has(webhook.name)) : [];
  return [...tasks, ...left.map((webhook) => removal("webhooks", webhook.id, webhookEntry(webhook)))];
}
