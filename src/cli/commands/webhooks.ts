import { webhooks as ops, triggers } from "../../contract/webhooks.ts";
import { smtpFlag } from "../mail-server.ts";
import type { Group } from "../tree.ts";

const id = { field: "id", completes: "webhooks" } as const;
const entry = { field: "log", label: "entry" } as const;
/** Repeats of a request whose answer did not arrive are answered without the secret. */
const secretLost =
  "The first answer was lost, and the secret with it. wcs webhooks rotate-secret {id} makes a new one.";
const row = ["id", "name", "uri", "triggers", "active", "disabled_reason"];

export const webhooks: Group = {
  summary: "URLs that are called when users and units change",
  commands: {
    list: { op: ops.list, columns: row },
    get: { op: ops.get, args: [id] },
    create: {
      op: ops.create,
      secretLost,
      unless: { flag: "--if-not-exists", list: ops.list, same: ["name", "uri"] },
      examples: [
        "wcs webhooks create --name ci --uri https://ci.example.com/hook --triggers user.create,user.update",
        "wcs webhooks create --name ci --uri https://ci.example.com/hook --if-not-exists --json | jq -r .secret",
      ],
    },
    update: {
      op: ops.update,
      args: [id],
      done: "Changed webhook {id}.",
      examples: ["wcs webhooks update 3 --triggers user.create", "wcs webhooks update 3 --no-active"],
    },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete webhook {id} with its log?" },
      done: "Deleted webhook {id}.",
    },
    "rotate-secret": {
      op: ops.rotateSecret,
      args: [id],
      secretLost,
      confirm: { ask: "Give webhook {id} a new secret? The old one is good for 24 hours." },
    },
    test: { op: ops.test, args: [id] },
    stats: {
      op: ops.stats,
      args: [id],
      columns: ["start", "succeeded", "failed"],
      draw: async () => (await import("../webhooks/chart.ts")).drawChart,
      examples: ["wcs webhooks stats 3 --since -7d --parts 28"],
    },
    logs: {
      summary: ops.logs.summary,
      description:
        "--follow prints entries as they come. --wait waits for one that fits (--timeout, default 60s) and prints it;\nwhen none comes: exit 9.",
      args: [{ name: "id", completes: "webhooks" }],
      flags: [
        { flags: "--event <trigger>", description: "Only calls for this trigger", completes: triggers },
        { flags: "--status <status>", description: "Only calls that ended so, as in 200 or timeout" },
        { flags: "--since <time>", description: "Only calls since then, as in -1h or 2026-12-31" },
        { flags: "--after <entry>", description: "Only entries with a higher ID" },
        { flags: "--limit <n>", description: "At most so many items in all" },
        { flags: "--all", description: "All items, page by page" },
        { flags: "-f, --follow", description: "Print new entries as they come" },
        { flags: "--wait", description: "Wait for an entry that fits" },
      ],
      examples: [
        "wcs webhooks logs 3 --status 500 --since -1d",
        "wcs webhooks logs 3 --follow -o ndjson | jq .status",
        "wcs webhooks logs 3 --wait --event user.create --status 200 --timeout 60s",
      ],
      prints: true,
      run: async (context) => (await import("../webhooks/logs.ts")).logs(context),
    },
    log: { op: ops.log, args: [id, entry] },
    resend: { op: ops.resend, args: [id, entry], done: "The event of entry {log} is sent again." },
    recover: {
      op: ops.recover,
      args: [id],
      examples: ["wcs webhooks recover 3 --since -2d"],
    },
    listen: {
      summary: "Forward events to a program on this machine",
      description: "Signs them with a secret of its own, for as long as it runs; --print-secret shows it.",
      flags: [
        { flags: "--forward-to <url>", description: "Where the program listens" },
        { flags: "--triggers <trigger,...>", description: "Only these (default all)", completes: triggers },
        { flags: "--print-secret", description: "Print the secret on stdout first" },
      ],
      examples: ["wcs webhooks listen --forward-to http://localhost:3000/hook --triggers user.create --print-secret"],
      run: async (context) => (await import("../webhooks/listen.ts")).listen(context),
    },
    verify: {
      summary: "Check the signature of a callback, whose body is read from stdin",
      description: "Exit 0 when it is good, 9 when it is not.",
      flags: [
        { flags: "--secret-file <path>", description: "File that holds the secret (whsec_...)", completes: "file" },
        {
          flags: "-H, --header <line>",
          description: "Header of the callback; webhook-id, -timestamp, -signature",
          repeat: true,
        },
        { flags: "--tolerance <time>", description: "How old it may be (default 5m)" },
      ],
      examples: [
        "wcs webhooks verify --secret-file secret.txt -H 'webhook-id: msg_1' -H 'webhook-timestamp: 1767225600' -H 'webhook-signature: v1,...' < body.json",
      ],
      run: async (context) => (await import("../webhooks/verify.ts")).verify(context),
    },
    deliver: {
      summary: "Send what waits to be sent from a database, then end",
      description:
        "Callbacks and mails. wcs serve does so all the time. What has to be tried again later waits for the next run.",
      flags: [smtpFlag],
      examples: ["wcs webhooks deliver --db ./wcs.db", "wcs webhooks deliver --smtp-url smtp://mail.example.com:25"],
      run: async (context) => (await import("../deliver.ts")).deliver(context),
    },
  },
};
