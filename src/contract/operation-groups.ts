/** A section of `wcs --help`. */
export type Heading = "Start here" | "Organisation" | "Communication" | "Instance" | "Tools";

interface OperationGroup {
  /** Describes the commands of the group in one line. */
  readonly summary: string;
  readonly heading: Heading;
  /** The tags of its operations in the OpenAPI document, with their descriptions. The first is the default. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * The groups of operations, in the order of help and documentation. Everything else about a group follows from its name.
 * For `users`: `contract/users.ts`, `core/users/users-operations.ts` and `cli/commands/users/users-commands.ts`, which
 * each export `users` and are loaded on demand.
 */
export const operationGroups = {
  auth: {
    summary: "Sign in and out, set up two factors, renew and print the token",
    heading: "Start here",
    tags: { Auth: "Signing in, two factors, tokens and forgotten passwords" },
  },
  sessions: {
    summary: "List and end your sign-ins",
    heading: "Start here",
    tags: { Sessions: "The places where you are signed in" },
  },
  users: {
    summary: "Manage users, their memberships and birthdays",
    heading: "Organisation",
    tags: {
      Users: "People and their profiles",
      "User unit memberships": "The units that a user is a member of, with departments and user types",
    },
  },
  tokens: {
    summary: "Manage API tokens for scripts and CI",
    heading: "Organisation",
    tags: { Identity: "API tokens of users and service accounts" },
  },
  units: {
    summary: "Manage the tree of units and their departments",
    heading: "Organisation",
    tags: { Units: "The tree of units and their departments" },
  },
  usertypes: {
    summary: "Manage user types and their abilities",
    heading: "Organisation",
    tags: { "User types": "User types, which grant abilities and control who may read" },
  },
  webhooks: {
    summary: "Manage webhooks, URLs that are called when users and units change",
    heading: "Organisation",
    tags: { Webhooks: "Receivers of events, and the log of deliveries" },
  },
  conversations: {
    summary: "Manage conversations and their messages",
    heading: "Communication",
    tags: { Conversations: "Direct and group conversations, their participants and messages" },
  },
  posts: {
    summary: "Manage news, debates and event posts, with comments and polls",
    heading: "Communication",
    tags: { Posts: "News, debates and event posts, with comments, polls and read confirmations" },
  },
  events: {
    summary: "Manage calendar events, their files and participants",
    heading: "Communication",
    tags: { Events: "Calendar events, their files and participants" },
  },
  groups: {
    summary: "Manage groups, where debates take place, and their members",
    heading: "Communication",
    tags: { Groups: "Groups and their members, the home of debates" },
  },
  counters: {
    summary: "Show and reset counters of new items",
    heading: "Communication",
    tags: { Counters: "Counts of items that are new to the user" },
  },
  muterules: {
    summary: "List the rules for muting posts and conversations",
    heading: "Communication",
    tags: { "Mute rules": "Rules for muting posts and conversations" },
  },
  files: {
    summary: "Download files of posts, events and messages",
    heading: "Communication",
    tags: { Files: "Files attached to posts, events and messages" },
  },
  names: {
    summary: "Find users, units, posts, webhooks and other things by name",
    heading: "Organisation",
    tags: { Names: "Finding things by name, reference or e-mail address" },
  },
  settings: {
    summary: "Show and change the settings of the instance",
    heading: "Instance",
    tags: { Settings: "Settings of the whole instance" },
  },
  audit: { summary: "Show who changed what", heading: "Instance", tags: { Audit: "Who changed what" } },
  languages: {
    summary: "List the languages of the instance",
    heading: "Instance",
    tags: { Languages: "Languages that the instance offers" },
  },
  timezones: {
    summary: "List time zones and their offsets",
    heading: "Instance",
    tags: { Timezones: "Time zones of the IANA database" },
  },
} satisfies Readonly<Record<string, OperationGroup>>;

export type GroupName = keyof typeof operationGroups;

export const groupEntries = Object.entries(operationGroups) as [GroupName, OperationGroup][];
