import { bootstrap } from "../../src/core/bootstrap.ts";
import { openDatabase } from "../../src/store/open-database.ts";

export const firstAdministrator = { email: "admin@example.com", first_name: "Ada", last_name: "Admin" };

/** Creates an instance with a root unit (1) and an administrator (1) in an empty database, and opens it. */
export const openNewInstance = (
  target: string,
  now = 1_700_000_000,
  options: Parameters<typeof openDatabase>[1] = {},
) =>
  openDatabase(target, {
    ...options,
    create: async (tx, secrets) =>
      void (await bootstrap(tx, { administrator: firstAdministrator, rootUnit: "Acme", now, secrets })),
  });
