export type Heading = "Start here" | "Organisation" | "Communication" | "Instance" | "Tools";

interface OperationGroup {
  readonly summary: string;
  readonly heading: Heading;
  /** The tags of its operations in the OpenAPI document, with their descriptions. The first is the default. */
  readonly tags: Readonly<Record<string, string>>;
}

const group = (heading: Heading, summary: string, tags: OperationGroup["tags"]): OperationGroup => {
  return { heading, summary, tags };
};

const shared = {
  users: { Users: "People and their profiles, and finding things by name" },
  identity: { Identity: "Sessions, and API tokens of users and service accounts" },
  conversations: {
    Conversations: "Direct and group conversations, their participants and messages, and rules for muting",
  },
} as const;

/** In the order of help. Each group has files in contract, core and cli/commands that export its name, loaded on demand. */
export const operationGroups = {
  auth: group("Start here", "Sign in and out, set up two factors, renew and print the token", {
    Auth: "Signing in, two factors, tokens and forgotten passwords",
  }),
  sessions: group("Start here", "List and end your sign-ins", shared.identity),
  users: group("Organisation", "Manage users, their memberships and birthdays", {
    ...shared.users,
    "User unit memberships": "The units that a user is a member of, with departments and user types",
  }),
  tokens: group("Organisation", "Manage API tokens for scripts and CI", shared.identity),
  units: group("Organisation", "Manage the tree of units and their departments", {
    Units: "The tree of units and their departments",
  }),
  usertypes: group("Organisation", "Manage user types and their abilities", {
    "User types": "User types, which grant abilities and control who may read",
  }),
  webhooks: group("Organisation", "Manage webhooks, URLs that are called when users and units change", {
    Webhooks: "Receivers of events, and the log of deliveries",
  }),
  conversations: group("Communication", "Manage conversations and their messages", shared.conversations),
  posts: group("Communication", "Manage news, debates and event posts, with comments and polls", {
    Posts: "News, debates and event posts, with comments, polls and read confirmations",
  }),
  events: group("Communication", "Manage calendar events, their files and participants", {
    Events: "Calendar events, their files and participants",
  }),
  groups: group("Communication", "Manage groups, where debates take place, and their members", {
    Groups: "Groups and their members, the home of debates",
  }),
  counters: group("Communication", "Show and reset counters of new items", {
    Counters: "Counts of items that are new to the user",
  }),
  muterules: group("Communication", "List the rules for muting posts and conversations", shared.conversations),
  files: group("Communication", "Download files of posts, events and messages", {
    Files: "Files attached to posts, events and messages",
  }),
  names: group("Organisation", "Find users, units, posts, webhooks and other things by name", shared.users),
  settings: group("Instance", "Show and change the settings of the instance", {
    Settings: "Settings of the whole instance",
  }),
  audit: group("Instance", "Show who changed what", { Audit: "Who changed what" }),
  languages: group("Instance", "List the languages of the instance", {
    Languages: "Languages that the instance offers",
  }),
  timezones: group("Instance", "List time zones and their offsets", { Timezones: "Time zones of the IANA database" }),
};

export type GroupName = keyof typeof operationGroups;

export const groupEntries = Object.entries(operationGroups) as [GroupName, OperationGroup][];
