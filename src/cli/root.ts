import type { Entry } from "./tree.ts";

/** A command or group of the first level; loaded when it is named. */
export interface RootEntry {
  readonly summary: string;
  readonly heading: string;
  readonly load: () => Promise<Entry>;
}

const start = "Start here:";
const organisation = "Organisation:";
const communication = "Communication:";
const instance = "Instance:";
const more = "Tools:";

/** The first level: static, because `wcs --help` loads nothing else. */
export const root: Readonly<Record<string, RootEntry>> = {
  init: {
    summary: "Make a database, its first administrator and a profile",
    heading: start,
    load: async () => (await import("./commands/init.ts")).init,
  },
  demo: {
    summary: "See the main job end to end, in a throw-away database",
    heading: start,
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  serve: {
    summary: "Serve the HTTP API, deliver webhooks and mail",
    heading: start,
    load: async () => (await import("./serve.ts")).serve,
  },
  auth: {
    summary: "Sign in and out, renew and show the token",
    heading: start,
    load: async () => (await import("./commands/auth.ts")).auth,
  },
  profile: {
    summary: "Databases and instances to work with",
    heading: start,
    load: async () => (await import("./commands/profile.ts")).profile,
  },
  users: {
    summary: "People, their memberships and birthdays",
    heading: organisation,
    load: async () => (await import("./commands/users.ts")).users,
  },
  units: {
    summary: "The tree of units, and their departments",
    heading: organisation,
    load: async () => (await import("./commands/units.ts")).units,
  },
  usertypes: {
    summary: "User types and what they may do",
    heading: organisation,
    load: async () => (await import("./commands/usertypes.ts")).usertypes,
  },
  webhooks: {
    summary: "URLs that are called when users and units change",
    heading: organisation,
    load: async () => (await import("./commands/webhooks.ts")).webhooks,
  },
  export: {
    summary: "Write all of these as one file that apply reads",
    heading: organisation,
    load: async () => (await import("./commands/organisation.ts")).exportFile,
  },
  diff: {
    summary: "Show what apply would do",
    heading: organisation,
    load: async () => (await import("./commands/organisation.ts")).diff,
  },
  apply: {
    summary: "Make users, units, user types and webhooks what a file says",
    heading: organisation,
    load: async () => (await import("./commands/organisation.ts")).apply,
  },
  conversations: {
    summary: "Direct and group conversations, and their messages",
    heading: communication,
    load: async () => (await import("./commands/conversations.ts")).conversations,
  },
  posts: {
    summary: "News, debates and event posts, with comments and polls",
    heading: communication,
    load: async () => (await import("./commands/posts.ts")).posts,
  },
  events: {
    summary: "Calendar events, their files and participants",
    heading: communication,
    load: async () => (await import("./commands/events.ts")).events,
  },
  groups: {
    summary: "Groups and their members, the home of debates",
    heading: communication,
    load: async () => (await import("./commands/groups.ts")).groups,
  },
  counters: {
    summary: "How much is new",
    heading: communication,
    load: async () => (await import("./commands/counters.ts")).counters,
  },
  files: {
    summary: "What was attached to posts, events and messages",
    heading: communication,
    load: async () => (await import("./commands/files.ts")).files,
  },
  settings: {
    summary: "Settings of the instance",
    heading: instance,
    load: async () => (await import("./commands/settings.ts")).settings,
  },
  audit: {
    summary: "Who changed what",
    heading: instance,
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  db: {
    summary: "The database itself",
    heading: instance,
    load: async () => (await import("./commands/db.ts")).db,
  },
  doctor: {
    summary: "Find out what is wrong, and what to do about it",
    heading: instance,
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  languages: {
    summary: "Languages that the instance offers",
    heading: instance,
    load: async () => (await import("./commands/languages.ts")).languages,
  },
  timezones: {
    summary: "Time zones and their offsets",
    heading: instance,
    load: async () => (await import("./commands/timezones.ts")).timezones,
  },
  api: {
    summary: "Any operation by method and path",
    heading: more,
    load: async () => (await import("./commands/api.ts")).api,
  },
  completion: {
    summary: "Completion for bash, zsh, fish and PowerShell",
    heading: more,
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  help: {
    summary: "Help on a command or topic",
    heading: more,
    load: async () => (await import("./commands/help.ts")).help,
  },
};
