import { ServiceError } from "../../../contract/errors.ts";
import type { InputOf, OutputOf } from "../../../contract/operation.ts";
import { webhooks as ops, triggers } from "../../../contract/webhooks.ts";
import type { Context, OperationRun } from "../../kit/command-spec.ts";
import { lineOf } from "../../terminal/shell-words.ts";

type Webhook = OutputOf<typeof ops.get>["data"];
type Wanted = InputOf<typeof ops.create>;

export async function createWebhook(run: OperationRun<typeof ops.create>): Promise<void> {
  const { input, context, caller, finish, show } = run;
  const { data } = context.flags.ifNotExists ? await caller.call(ops.list, {}) : { data: [] };
  const present = data.filter(({ name }) => name === input.name);
  const same = present.find((webhook) => differences(webhook, input).length === 0);
  if (same) return show(same);
  if (present[0]) throw conflictOf(present[0], input);
  noteSecret(await finish(input), context);
}

export async function rotateSecret({ input, context, finish }: OperationRun<typeof ops.rotateSecret>): Promise<void> {
  noteSecret(await finish(input), context);
}

/** Returns how an existing webhook differs from the one to create, with the flags that remove each difference. */
function differences(webhook: Webhook, { uri, triggers: wanted }: Wanted) {
  const [now = "", then = ""] = [webhook.triggers, wanted ?? triggers].map((list) => [...list].sort().join(","));
  const all = [
    { sentence: `uri is ${webhook.uri}, not ${uri}`, change: ["--uri", uri], isSame: webhook.uri === uri },
    { sentence: `triggers are ${now}, not ${then}`, change: ["--triggers", then], isSame: now === then },
  ];
  return all.filter(({ isSame }) => !isSame);
}

function conflictOf(webhook: Webhook, wanted: Wanted): ServiceError {
  const { id, name } = webhook;
  const found = differences(webhook, wanted);
  const sentences = found.map(({ sentence }) => sentence).join("; ");
  const line = lineOf(["webhooks", "update", String(id), ...found.flatMap(({ change }) => change)]);
  return new ServiceError("conflict", `Webhook ${id} (${name}) differs: ${sentences}.`, {
    hint: `Change it with ${line}`,
  });
}

/** Prints a note about the secret. The response to a repeated request does not have it. */
function noteSecret({ data }: OutputOf<typeof ops.create>, { terminal, flags }: Context): void {
  if (flags.dryRun) return;
  if (data.secret !== undefined) {
    if (terminal.stdoutIsTerminal) terminal.note("Store the secret now; it cannot be shown again.");
    return;
  }
  terminal.note(
    `The first response, with the secret, was lost. Create a new secret with wcs webhooks rotate-secret ${data.id}.`,
  );
}
