import { webhooks as ops, triggers } from "../../../contract/webhooks.ts";
import { ConditionError } from "../../errors/cli-errors.ts";
import { askAbout, type Commands, command, dryRunFlag, type OperationRun } from "../../kit/command-spec.ts";
import { smtpFlag } from "../smtp-option.ts";

const id = { field: "id" } as const;
const entry = { field: "log", label: "entry" } as const;
const row = ["id", "name", "uri", "triggers", "active", "disabled_reason"] as const;
const logColumns = ["id", "created_at", "event", "status", "error", "attempt", "duration_ms"] as const;
const activation = ({ id }: { readonly id: number }) => `Activate it with wcs webhooks update ${id} --active.`;

export const webhooks: Commands = {
  list: command(ops.list, { columns: row }),
  get: command(ops.get, {}),
  create: command(ops.create, {
    flags: [
      {
        flags: "--if-not-exists",
        description:
          "If there is a webhook of this name: show it when URI and triggers are the same, else exit with 7; two commands at the same time may create two",
      },
    ],
    perform: async (run) => (await import("./create-webhook.ts")).createWebhook(run),
    examples: [
      "wcs webhooks create --name ci --uri https://ci.example.com/hook --triggers user.create,user.update",
      "wcs webhooks create --name ci --uri https://ci.example.com/hook --if-not-exists --json | jq .id",
    ],
  }),
  update: command(ops.update, {
    done: ({ id }) => `Updated webhook ${id}.`,
    examples: ["wcs webhooks update 3 --triggers user.create", "wcs webhooks update 3 --no-active"],
  }),
  delete: command(ops.delete, {
    args: [{ ...id, many: true }],
    confirm: askAbout(ops.get, ({ name }) => `Delete webhook ${name} and its log?`),
    done: ({ id }) => `Deleted webhook ${id}.`,
  }),
  "rotate-secret": command(ops.rotateSecret, {
    perform: async (run) => (await import("./create-webhook.ts")).rotateSecret(run),
    confirm: askAbout(
      ops.get,
      ({ name }) => `Create a new secret for webhook ${name}? The old one stays valid for 24 hours.`,
    ),
    examples: ["wcs webhooks rotate-secret 3 --yes --json | jq -r .secret > secret.txt"],
  }),
  test: command(ops.test, {
    summary: "Send a test event and show the result; exits with 9 if the call failed",
    perform: sendTest,
    done: ({ id }) => `Queued a test event for webhook ${id}.`,
    onConflict: activation,
  }),
  stats: command(ops.stats, {
    columns: ["start", "succeeded", "failed"],
    draw: async () => (await import("./draw-chart.ts")).drawChart,
    examples: ["wcs webhooks stats 3 --since -7d --parts 28"],
  }),
  logs: command(ops.logs, {
    description: `--follow prints new entries as they arrive, and runs until Ctrl-C: --timeout limits each request. --wait prints the
newest entry that matches, or waits for it (--timeout, default 60s); exits with 9 if none arrives. Entries from
before the command match as well, unless --after or --since leaves them out. --user leaves out the events of jobs that
run at the same time for other users.`,
    flags: [
      { flags: "-f, --follow", description: "Print new entries as they arrive" },
      { flags: "--wait", description: "Print the newest entry that matches, or wait for one" },
    ],
    examples: [
      "wcs webhooks logs 3 --status failed --since -1d",
      "wcs webhooks logs 3 --follow -o ndjson | jq .status",
      "wcs webhooks logs 3 --wait --since -1m --event user.create --status 2xx --timeout 60s",
      "wcs webhooks logs 3 --wait --since -1m --user ann@example.com --status 2xx",
    ],
    items: "attempts",
    columns: logColumns,
    uncut: ["event"],
    perform: async (run) => (await import("./show-logs.ts")).showLogs(run, logColumns),
  }),
  log: command(ops.log, {
    args: [id, entry],
    renderer: async () => (await import("./render-log-entry.ts")).logEntryForm,
    examples: ["wcs webhooks log 3 41"],
  }),
  resend: command(ops.resend, {
    args: [id, entry],
    repeats: true,
    done: ({ log }) => `Queued the event of entry ${log} for sending again.`,
    examples: ["wcs webhooks resend 3 41"],
    // The event may be gone, too.
    onConflict: ({ id }) => `If the webhook is not active, activate it with wcs webhooks update ${id} --active.`,
  }),
  recover: command(ops.recover, { examples: ["wcs webhooks recover 3 --since -2d"], onConflict: activation }),
  listen: {
    summary: "Forward events to a program on this machine",
    description: "Signs the events with a new secret that is valid while the command runs; --print-secret prints it.",
    flags: [
      { flags: "--forward-to <url>", description: "URL of the program (required)" },
      {
        flags: "--triggers <trigger,...>",
        description: `Forward only these triggers (default all): ${triggers.join(", ")}`,
        choices: triggers,
      },
      { flags: "--print-secret", description: "Print the secret on stdout first" },
    ],
    examples: ["wcs webhooks listen --forward-to http://localhost:3000/hook --triggers user.create --print-secret"],
    run: async (context) => (await import("./listen-to-events.ts")).listenToEvents(context),
  },
  verify: {
    summary: "Verify the signature of a callback, whose body is read from stdin",
    description: "Exits with 0 when the signature is valid, with 9 when it is not.",
    flags: [
      { flags: "--secret-file <path>", description: "File with the secret (whsec_...) (required)" },
      {
        flags: "-H, --header <name:value>",
        description: "Header of the callback; webhook-id, webhook-timestamp and webhook-signature are required",
        repeat: true,
      },
      { flags: "--tolerance <duration>", description: "Maximum age of the callback (default 5m)" },
    ],
    examples: [
      "wcs webhooks verify --secret-file secret.txt -H 'webhook-id: msg_1' -H 'webhook-timestamp: 1767225600' -H 'webhook-signature: v1,...' < body.json",
    ],
    run: async (context) => (await import("./verify-signature.ts")).verify(context),
  },
  deliver: {
    summary: "Send the waiting callbacks and mails of a database, then exit",
    description:
      "wcs serve sends them continuously. Callbacks and mails that fail and are to be retried wait for the next run.",
    flags: [smtpFlag, dryRunFlag],
    examples: ["wcs webhooks deliver --db ./wcs.db", "wcs webhooks deliver --smtp-url smtp://mail.example.com:25"],
    run: async (context) => (await import("../serve/deliver.ts")).deliver(context),
  },
};

async function sendTest({ input, context, finish }: OperationRun<typeof ops.test>): Promise<void> {
  const { data } = await finish(input);
  if (context.flags.dryRun) return;
  if (data === null) throw new ConditionError("the test event was not sent in time");
  if (!data.status.startsWith("2")) throw new ConditionError(`the call failed: ${data.error ?? data.status}`);
}
