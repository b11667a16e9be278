/** The last migration that this program knows; update it with each new migration. */
export const latestMigration = "0001-initial-schema";
