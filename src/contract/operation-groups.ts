import type { AnyOperation } from "./operation.ts";

/** The groups of the contract. Each is loaded on demand, because a command needs only one. */
export const rooms = {
  auth: async () => (await import("./auth.ts")).auth,
  users: async () => (await import("./users.ts")).users,
  units: async () => (await import("./units.ts")).units,
  usertypes: async () => (await import("./usertypes.ts")).usertypes,
  posts: async () => (await import("./posts.ts")).posts,
  events: async () => (await import("./events.ts")).events,
  groups: async () => (await import("./groups.ts")).groups,
  counters: async () => (await import("./counters.ts")).counters,
  conversations: async () => (await import("./conversations.ts")).conversations,
  files: async () => (await import("./files.ts")).files,
  webhooks: async () => (await import("./webhooks.ts")).webhooks,
  languages: async () => (await import("./languages.ts")).languages,
  timezones: async () => (await import("./timezones.ts")).timezones,
  audit: async () => (await import("./audit.ts")).audit,
  settings: async () => (await import("./settings.ts")).settings,
};

export type RoomName = keyof typeof rooms;

/** Returns all operations of all groups, in the order of the contract. */
export async function allOperations(): Promise<AnyOperation[]> {
  const loaded = await Promise.all(Object.values(rooms).map((load) => load()));
  return loaded.flatMap((operations) => Object.values(operations) as AnyOperation[]);
}
