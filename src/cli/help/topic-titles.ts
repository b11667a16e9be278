/** Titles of the topics of `wcs help <topic>`. Separate from the texts, so that `wcs --help` loads little. */
export const topicTitles = {
  tasks: "Everyday tasks",
  environment: "Environment variables",
  "exit-codes": "Exit codes",
  formatting: "Output formats",
  configuration: "Configuration",
  webhooks: "Webhooks",
  calendar: "Calendar events",
  organisation: "An organisation as a file",
  proxy: "Behind a proxy",
} as const;
