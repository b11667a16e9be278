import type { Registry } from "./kit/command-spec.ts";

const start = "Start here:";
const organisation = "Organisation:";
const communication = "Communication:";
const instance = "Instance:";
const more = "Tools:";

/** The top-level commands and groups. Their summaries are here, so that `wcs --help` loads no commands. */
export const registry: Registry = {
  init: {
    summary: "Create a database, its first administrator and a profile",
    heading: start,
    load: async () => (await import("./commands/init/init-command.ts")).init,
  },
  demo: {
    summary: "Show a tour of wcs in a temporary database",
    heading: start,
    load: async () => (await import("./commands/demo/demo-command.ts")).demo,
  },
  serve: {
    summary: "Serve the HTTP API and deliver webhooks and mail",
    heading: start,
    load: async () => (await import("./commands/serve/serve-command.ts")).serve,
  },
  auth: {
    summary: "Sign in and out, renew and print the token",
    heading: start,
    load: async () => (await import("./commands/auth/auth-commands.ts")).auth,
  },
  profile: {
    summary: "Manage profiles: saved databases and instances",
    heading: start,
    load: async () => (await import("./commands/profile-commands.ts")).profile,
  },
  users: {
    summary: "Manage users, their memberships and birthdays",
    heading: organisation,
    load: async () => (await import("./commands/users/users-commands.ts")).users,
  },
  units: {
    summary: "Manage the tree of units and their departments",
    heading: organisation,
    load: async () => (await import("./commands/units/units-commands.ts")).units,
  },
  usertypes: {
    summary: "Manage user types and their abilities",
    heading: organisation,
    load: async () => (await import("./commands/usertypes-commands.ts")).usertypes,
  },
  webhooks: {
    summary: "Manage webhooks, URLs that are called when users and units change",
    heading: organisation,
    load: async () => (await import("./commands/webhooks/webhooks-commands.ts")).webhooks,
  },
  export: {
    summary: "Export the organisation to a file",
    heading: organisation,
    load: async () => (await import("./commands/organisation/organisation-commands.ts")).exportFile,
  },
  diff: {
    summary: "Compare an organisation file with the current data",
    heading: organisation,
    load: async () => (await import("./commands/organisation/organisation-commands.ts")).diff,
  },
  apply: {
    summary: "Apply an organisation file: users, units, user types and webhooks",
    heading: organisation,
    load: async () => (await import("./commands/organisation/organisation-commands.ts")).apply,
  },
  conversations: {
    summary: "Manage conversations and their messages",
    heading: communication,
    load: async () => (await import("./commands/conversations/conversations-commands.ts")).conversations,
  },
  posts: {
    summary: "Manage news, debates and event posts, with comments and polls",
    heading: communication,
    load: async () => (await import("./commands/posts/posts-commands.ts")).posts,
  },
  events: {
    summary: "Manage calendar events, their files and participants",
    heading: communication,
    load: async () => (await import("./commands/events/events-commands.ts")).events,
  },
  groups: {
    summary: "Manage groups, where debates take place, and their members",
    heading: communication,
    load: async () => (await import("./commands/groups-commands.ts")).groups,
  },
  counters: {
    summary: "Show and reset counters of new items",
    heading: communication,
    load: async () => (await import("./commands/counters-commands.ts")).counters,
  },
  files: {
    summary: "Download files of posts, events and messages",
    heading: communication,
    load: async () => (await import("./commands/files/files-commands.ts")).files,
  },
  settings: {
    summary: "Show and change the settings of the instance",
    heading: instance,
    load: async () => (await import("./commands/settings-commands.ts")).settings,
  },
  audit: {
    summary: "Show who changed what",
    heading: instance,
    load: async () => (await import("./commands/audit-commands.ts")).audit,
  },
  db: {
    summary: "Inspect, back up, restore and migrate the database",
    heading: instance,
    load: async () => (await import("./commands/db/db-commands.ts")).db,
  },
  doctor: {
    summary: "Check the configuration, the target and the login for problems",
    heading: instance,
    load: async () => (await import("./commands/doctor/doctor-command.ts")).doctor,
  },
  languages: {
    summary: "List the languages of the instance",
    heading: instance,
    load: async () => (await import("./commands/languages-commands.ts")).languages,
  },
  timezones: {
    summary: "List time zones and their offsets",
    heading: instance,
    load: async () => (await import("./commands/timezones-commands.ts")).timezones,
  },
  api: {
    summary: "Call any operation by method and path",
    heading: more,
    load: async () => (await import("./commands/api/api-command.ts")).api,
  },
  completion: {
    summary: "Print the completion script for bash, zsh, fish or PowerShell",
    heading: more,
    load: async () => (await import("./commands/completion/completion-command.ts")).completion,
  },
  help: {
    summary: "Show help for a command or topic",
    heading: more,
    load: async () => (await import("./commands/help-command.ts")).help,
  },
};
