import { createHmac, randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { ServiceError } from "../../../contract/errors.ts";
import { triggers, webhooks } from "../../../contract/webhooks.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { splitList } from "../../kit/parse-value.ts";
import { longPollSeconds, pollAnswers } from "../../session/poll.ts";
import { version } from "../../session/version.ts";

const forwardTimeout = 15_000;

/** `wcs webhooks listen`: forwards events to a program on this machine, signed as the service signs them. */
export async function listenToEvents(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const target = targetOf(flags.forwardTo as string | undefined);
  const wanted = new Set(splitList(flags.triggers ?? triggers));
  if (wanted.size === 0) throw new UsageError("--triggers must not be empty");
  const secret = randomBytes(32);
  const { caller } = await context.connect();
  let after = (await caller.call(webhooks.events, {})).meta.last_id;
  terminal.note(
    `Forwarding ${wanted.size === triggers.length ? "all events" : [...wanted].join(", ")} to ${target.href}`,
  );
  if (flags.printSecret) await terminal.write(`whsec_${secret.toString("base64")}\n`);
  const wait = longPollSeconds(context.globals);
  const ask = () => caller.call(webhooks.events, { after, wait });
  for await (const { data, meta } of pollAnswers(ask, terminal)) {
    for (const { webhook_event_id, payload } of data) {
      if (!wanted.has(payload.type)) continue;
      if (!/^[\w-]+$/.test(webhook_event_id)) {
        throw new ServiceError(
          "unavailable",
          "The instance did not answer like a wcs service: an event has a wrong ID.",
        );
      }
      const outcome = await forward(target, secret, webhook_event_id, JSON.stringify(payload));
      terminal.note(`${new Date().toISOString()}  ${payload.type.padEnd(12)}  ${webhook_event_id}  ${outcome}`);
    }
    after = meta.last_id;
  }
}

function targetOf(text: string | undefined): URL {
  if (text === undefined)
    throw new UsageError("missing --forward-to", { hint: "for example --forward-to http://localhost:3000/hook" });
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    const hint = URL.canParse(`http://${text}`) ? `write http://${text}` : undefined;
    throw new UsageError(`--forward-to must be a URL that begins with http:// or https://, not '${text}'`, { hint });
  }
  return new URL(text);
}

/** Sends one event (Standard Webhooks 1.0, signature v1). Returns the status or the reason of the failure. */
function forward(target: URL, secret: Buffer, id: string, body: string): Promise<string> {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "user-agent": `wcs/${version}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
  const { request } = target.protocol === "https:" ? https : http;
  return new Promise((resolve) => {
    const sent = request(target, { method: "POST", headers, timeout: forwardTimeout }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    sent.on("timeout", () => sent.destroy(Object.assign(new Error(), { code: "timeout" })));
    sent.on("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ECONNREFUSED" ? "connection refused" : (error.code ?? "failed")),
    );
    sent.end(body);
  });
}
