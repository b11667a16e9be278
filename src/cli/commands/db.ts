import type { Group } from "../tree.ts";

const shown = 1000;
const dryRun = { flags: "-n, --dry-run", description: "Check everything, change nothing" };

export const db: Group = {
  summary: "The database itself",
  commands: {
    info: {
      summary: "What the database is, and how much is in it",
      description:
        "Changes nothing: of an older or newer schema than this wcs knows it says so, and counts nothing (null).\nWhat was deleted does not count.",
      examples: ["wcs db info", "wcs db info --json --query counts.users"],
      prints: true,
      run: async (context) => (await import("../database/info.ts")).info(context),
    },
    check: {
      summary: "Look for damage, and for what does not agree",
      description:
        "Goes through all of it: on SQLite through pages, indexes and foreign keys, and everywhere through what is kept\ntwice, such as counts. Changes nothing. Exit 9 when something does not hold.",
      examples: ["wcs db check", "wcs db check --db backup.db --query \"[?state!='ok']\""],
      prints: true,
      run: async (context) => (await import("../database/check.ts")).check(context),
    },
    migrate: {
      summary: "Bring the schema up to date",
      description:
        "Says which migrations it applied. Any other command does the same on its way. A newer schema than this wcs\nknows: exit 7.",
      flags: [dryRun],
      examples: ["wcs db migrate --dry-run", "wcs db migrate"],
      prints: true,
      run: async (context) => (await import("../database/migrate.ts")).migrate(context),
    },
    backup: {
      summary: "Make a backup of a SQLite database",
      description:
        "A whole copy, as the database is when it begins, while others go on writing. It is looked through, has a\nchecksum by which restore knows it, and is a database itself. Keep it safe: it holds the keys of the\ninstance, encrypted if they are so in the database. A file that is there already: exit 7. For PostgreSQL there is pg_dump.",
      args: [{ name: "file", completes: "file" }],
      flags: [{ flags: "--force", description: "Replace a file that is there already" }],
      examples: ["wcs db backup wcs-monday.db", "wcs db backup /mnt/backups/wcs.db --force --json"],
      prints: true,
      run: async (context) => (await import("../database/backup.ts")).backup(context),
    },
    restore: {
      summary: "Put a backup in the place of a SQLite database",
      description:
        "The backup is looked through first; one that is damaged, or of a newer wcs, is refused (exit 7). The old\ndatabase is kept beside the new one, and its name told. Nobody else may have it open (exit 8). What waited\nto be sent when the backup was made is sent again; see wcs db outbox.",
      args: [{ name: "file", description: "What wcs db backup made, or another database of wcs", completes: "file" }],
      flags: [{ flags: "-y, --yes", description: "Do not ask" }, dryRun],
      examples: ["wcs db restore wcs-monday.db --dry-run", "wcs db restore wcs-monday.db --db wcs.db --yes"],
      prints: true,
      run: async (context) => (await import("../database/restore.ts")).restore(context),
    },
    rekey: {
      summary: "Encrypt the secrets with another key",
      description:
        "From the present key (WCS_SECRET_KEY or WCS_SECRET_KEY_FILE), if there is one, to that in --new-key-file, all in\none transaction. Without --new-key-file: encrypts with the present key what is not encrypted yet. The secrets\nare the key that signs tokens, mail.smtp_url, and those of webhooks. A key is 32 bytes in base64 or hexadecimal.\nServers that run go on with the key that they were started with, and fail: start them again with the new one.",
      flags: [
        {
          flags: "--new-key-file <path>",
          description: "File that holds the new key, - for stdin",
          completes: "file",
        },
        { flags: "--decrypt", description: "Keep the secrets in the clear" },
        dryRun,
      ],
      examples: [
        "openssl rand -base64 32 > wcs.key && wcs db rekey --new-key-file wcs.key",
        "WCS_SECRET_KEY_FILE=wcs.key wcs db rekey --new-key-file new.key --dry-run",
      ],
      prints: true,
      run: async (context) => (await import("../database/rekey.ts")).rekey(context),
    },
    outbox: {
      summary: "Callbacks and mails that wait to be sent",
      description: `The first ${shown} of each. wcs serve sends them; mails only with the settings mail.smtp_url and mail.from.`,
      examples: ["wcs db outbox", "wcs db outbox --query '[?error]'"],
      prints: true,
      run: async (context) => (await import("../database/outbox.ts")).outbox(context, shown),
    },
  },
};
