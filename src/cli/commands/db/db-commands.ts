import { type Commands, dryRunFlag } from "../../kit/command-spec.ts";

const shown = 1000;

export const db: Commands = {
  info: {
    summary: "Show the kind, schema and size of the database",
    description:
      "Changes nothing. When the schema is older or newer than that of this wcs, it says so and shows no counts (null).\nDeleted items are not counted.",
    examples: ["wcs db info", "wcs db info --json --query counts.users"],
    prints: true,
    watchable: true,
    run: async (context) => (await import("./db-info.ts")).info(context),
  },
  check: {
    summary: "Check for corruption and inconsistencies",
    description:
      "Reads the whole database: on SQLite pages, indexes and foreign keys, on both databases derived data such as\ncounts. Compares tables, indexes and triggers with those of a new database; on PostgreSQL, only for a user who\nmay create schemas. Changes nothing. Exits with 9 when a check fails.",
    examples: ["wcs db check", "wcs db check --db backup.db --query \"[?state!='ok']\""],
    prints: true,
    run: async (context) => (await import("./db-check.ts")).check(context),
  },
  migrate: {
    summary: "Bring the schema up to date",
    description:
      "Lists the migrations that it applied. Other commands migrate the database, too, when they open it. Exits with 7\nwhen the schema is newer than that of this wcs, and with 8 while another process, such as wcs serve, works on the\nolder database.",
    flags: [dryRunFlag],
    examples: ["wcs db migrate --dry-run", "wcs db migrate"],
    prints: true,
    run: async (context) => (await import("./db-migrate.ts")).migrate(context),
  },
  backup: {
    summary: "Make a backup of a SQLite database",
    description:
      "Makes a complete copy of the database as it is at the start, while others continue to write. The copy is checked,\ncarries a checksum that wcs db restore verifies, and is a database itself. Keep it safe: it contains the keys of\nthe instance, encrypted if they are encrypted in the database. Exits with 7 when the file exists. For PostgreSQL\nuse pg_dump.\n\nWith --rotate, <file> is an existing folder. The backup is named by its time in UTC, as in wcs-20261124T030000Z.db.\nAfterwards the oldest backups of this instance are removed from the folder; other files stay. When no backup could\nbe made, none is removed. With -q and without an output option, such as --json, nothing is printed.",
    args: [{ name: "file", description: "File to write the backup to; with --rotate a folder" }],
    flags: [
      { flags: "--force", description: "Replace an existing file" },
      {
        flags: "--rotate <n>",
        description: "Add a backup to the folder, and keep the newest n of this instance there",
      },
      dryRunFlag,
    ],
    examples: [
      "wcs db backup wcs-monday.db",
      "wcs db backup /mnt/backups/wcs.db --force --json",
      "wcs db backup /var/backups/wcs --rotate 7",
    ],
    prints: true,
    run: async (context) => (await import("./db-backup.ts")).backup(context),
  },
  restore: {
    summary: "Replace a SQLite database by a backup",
    description:
      "Checks the backup first and exits with 7 when it is damaged or belongs to a newer wcs. Keeps the old database\nbeside the new one and prints its name. Exits with 8 when another process has the database open. Callbacks and\nmails that waited when the backup was made are sent again; see wcs db outbox.",
    args: [{ name: "file", description: "Backup made by wcs db backup, or another wcs database" }],
    flags: [{ flags: "-y, --yes", description: "Skip the confirmation prompt" }, dryRunFlag],
    examples: ["wcs db restore wcs-monday.db --dry-run", "wcs db restore wcs-monday.db --db wcs.db --yes"],
    prints: true,
    run: async (context) => (await import("./db-restore.ts")).restore(context),
  },
  copy: {
    summary: "Copy the database to SQLite or PostgreSQL",
    description:
      "Copies all data to an empty database, from SQLite to PostgreSQL or back: users with their passwords, tokens,\nwebhooks, files and IDs. Compares each table by count and checksum, then checks the copy like wcs db check. The copy\nhas the data as they were at the start, so stop wcs serve first. Secrets stay encrypted with the same key. When the\ncopy fails or is killed, the target stays empty: run the command again. If it was killed during the comparison, the copy is\ncomplete: check it with wcs db check. Exits with 7 when the target is not empty or the source is newer than this wcs. An older source is not changed; the copy gets the newest schema.",
    flags: [
      {
        flags: "--from <path>",
        description: "SQLite file or postgres:// URL to copy (default: the selected database)",
      },
      { flags: "--to <path>", description: "New SQLite file, or postgres:// URL of an empty database" },
      dryRunFlag,
    ],
    examples: [
      "wcs db copy --from wcs.db --to postgres://wcs@db.example.com/wcs",
      "wcs db copy --from postgres://wcs@db.example.com/wcs --to wcs.db --json",
    ],
    prints: true,
    run: async (context) => (await import("./db-copy.ts")).copy(context),
  },
  prune: {
    summary: "Delete expired data now",
    description:
      "Deletes what wcs serve deletes once an hour, in small transactions, and lists the deleted rows by kind. The\nsettings audit.days, webhooks.log_days, mail.days and tokens.expired_days say for how many days data is kept;\nother kinds are deleted when they expire, and stored responses after a day. A SQLite file and its backups keep their\nsize, and the free space is used for new data: wcs db copy to a new file makes a smaller one.",
    flags: [dryRunFlag],
    examples: ["wcs db prune --dry-run", "wcs db prune --json --query '[?rows > `0`]'"],
    prints: true,
    run: async (context) => (await import("./db-prune.ts")).prune(context),
  },
  rekey: {
    summary: "Encrypt the secrets with another key",
    description:
      "Decrypts the secrets with the current key (WCS_SECRET_KEY or WCS_SECRET_KEY_FILE), if there is one, and encrypts\nthem with the key in --new-key-file, in one transaction. Without --new-key-file it encrypts unencrypted secrets with\nthe current key. The secrets are the key that signs tokens, mail.smtp_url and those of webhooks and second\nfactors. A key is 32 bytes in base64 or hexadecimal; make one with\n(umask 077 && openssl rand -base64 32 > wcs.key). Running servers keep the old key and fail: restart them with the\nnew one.",
    flags: [
      { flags: "--new-key-file <path>", description: "Read the new key from a file, - for stdin" },
      { flags: "--decrypt", description: "Store the secrets unencrypted" },
      dryRunFlag,
    ],
    examples: ["wcs db rekey --new-key-file wcs.key", "wcs db rekey --new-key-file new.key --dry-run"],
    prints: true,
    run: async (context) => (await import("./db-rekey.ts")).rekey(context),
  },
  outbox: {
    summary: "List the callbacks and mails that were not sent",
    description: `Lists the first ${shown} of each. wcs serve sends them; mails need the settings mail.smtp_url and mail.from.`,
    examples: ["wcs db outbox", "wcs db outbox --query '[?error]'"],
    prints: true,
    watchable: true,
    run: async (context) => (await import("./db-outbox.ts")).outbox(context, shown),
  },
};
