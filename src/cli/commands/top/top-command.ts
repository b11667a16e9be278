import type { TopLevelCommand } from "../../kit/command-spec.ts";

export const top: TopLevelCommand = {
  description: `Draws one screen until Ctrl-C. --once prints the same once, also without a terminal. Only administrators see
the webhooks.

Requests and the queue come from GET /metrics. The instance serves it when it runs with WCS_METRICS_TOKEN, and this command
needs the same token in its environment; --metrics-url names the port of wcs serve --metrics-port, which needs no token.

The token is sent only to the base URL in WCS_METRICS_URL, else in WCS_URL, else of the profile; never to another address on
the command line.`,
  flags: [
    { flags: "--once", description: "Print one screen and exit" },
    { flags: "--interval <duration>", description: "Pause between two screens (default 2s)" },
    {
      flags: "--metrics-url <url>",
      description: "Base URL of the metrics (default that of the instance) [WCS_METRICS_URL]",
    },
  ],
  examples: ["wcs top", "wcs top --metrics-url http://127.0.0.1:9090", "wcs top --once --json --query 'queue.due'"],
  prints: true,
  run: async (context) => (await import("./run-top.ts")).runTop(context),
};
