import { relative } from "node:path";

const behaviour = (...names: readonly string[]) => names.map((name) => `test/behaviour/${name}`);

/** Tests of the client beside those of `test/http`. */
const ofClient = ["test/cli/idempotency-key", "test/cli/paging", "test/client/client", "test/security/hostile-answers"];

/** Source folders, and the tests that exercise each. The first match of a path counts. */
const suites: readonly (readonly [folder: string, tests: readonly string[]])[] = [
  [
    "src/core/pipeline",
    [
      ...behaviour("api-tokens", "audit.", "auth", "birthdays", "callers", "dry-run", "events.", "groups"),
      ...behaviour("idempotency", "last-uses", "memory", "mutes", "paging", "password-reset", "permissions"),
      ...behaviour("posts-events", "recurrence", "service", "sessions", "settings", "statement-counts", "tokens"),
      ...behaviour("units-import", "units.t", "users-erasure", "users-import.", "webhooks-listening", "webhooks.t"),
      ...["test/security/recurrence", "test/security/rights.t", "test/security/sign-in", "test/security/waits"],
      ...["test/delivery/announcements", "test/delivery/outbox-list", "test/faults/readiness"],
      ...["test/security/account-notices", "test/store/actor-batches", "test/behaviour/two-factor-required"],
    ],
  ],
  [
    "src/core/users",
    [
      ...behaviour("users", "api-tokens", "birthdays", "memberships", "password", "auth", "languages", "permissions"),
      ...["test/security/rights.t", "test/security/waits"],
    ],
  ],
  [
    "src/core/conversations",
    [
      ...behaviour("conversations", "counters", "mutes", "things-beside"),
      ...["test/security/deleted-things", "test/security/uploads"],
    ],
  ],
  ["src/core/events", [...behaviour("events", "recurrence"), "test/security/recurrence", "test/security/uploads"]],
  [
    "src/core/visibility",
    [
      ...behaviour("audience", "events", "files.t", "groups.t", "posts", "things-beside", "tree", "units-moving"),
      ...behaviour("usertypes"),
      ...["test/security/deleted-things", "test/security/rights.t"],
    ],
  ],
  [
    "src/core/directory",
    [
      ...behaviour("api-tokens", "auth", "conversations-p", "counters", "events.t", "groups.t", "memberships"),
      ...behaviour(
        "names",
        "passwords",
        "posts-comments",
        "posts-lists",
        "service",
        "sessions",
        "text-keys",
        "things-beside",
        "tree",
      ),
      ...behaviour("two-factor.t", "two-processes", "units", "users", "webhooks"),
      ...["test/security/instance-of-line", "test/security/rights.t", "test/security/sign-in"],
    ],
  ],
  [
    "src/core/webhooks",
    [
      ...behaviour("webhook"),
      ...["announcements", "operations", "outcomes", "retention", "schedule", "wake"].map(
        (name) => `test/delivery/${name}`,
      ),
      "test/security/secrets",
    ],
  ],
  ["src/core/posts", [...behaviour("posts", "mutes", "users-export"), "test/security/uploads"]],
  [
    "src/core/units",
    [...behaviour("units", "unit-and-group-images", "tree", "memberships", "permissions"), "test/security/rights.t"],
  ],
  [
    "src/core/auth",
    [
      ...behaviour("auth", "password", "sessions", "two-factor"),
      ...["account-notices", "password", "sign-in", "two-factor-key"].map((name) => `test/security/${name}`),
    ],
  ],
  [
    "src/core/tokens",
    [...behaviour("api-tokens", "permissions", "sessions", "tokens", "users-e"), "test/security/token-scopes"],
  ],
  ["src/core/sessions", [...behaviour("sessions", "two-factor-required", "users-ending"), "test/security/waits"]],
  [
    "src/core/files",
    [
      ...behaviour("events.t", "events-bad-input", "files", "posts", "unit-and-group-images", "users-avatars"),
      ...["test/security/uploads", "test/http/content"],
    ],
  ],
  [
    "src/core/groups",
    [
      ...behaviour("audience", "counters", "groups", "names", "unit-and-group-images"),
      ...["test/security/deleted-things", "test/security/rights.property", "test/security/uploads"],
    ],
  ],
  [
    "src/core",
    [
      ...[...behaviour(""), "test/delivery/announcements", "test/http/interface-requests"],
      ...["test/security/uploads", "test/security/wrong-input"],
    ],
  ],
  [
    "src/delivery",
    [
      ...["test/delivery", "test/security/account-notices", "test/security/mail-transport"],
      ...["test/security/password-mails", "test/cli/db-prune"],
      ...behaviour("webhooks.t", "users-erasure", "two-factor.t"),
    ],
  ],
  [
    "src/http/client",
    [
      ...["test/http/client", "test/http/codec", "test/http/connection-errors", "test/http/content"],
      ...["test/http/large-bodies", ...ofClient],
    ],
  ],
  [
    "src/http",
    [
      ...["test/http", "test/security/client-address", "test/security/slow-clients", "test/security/uploads"],
      ...ofClient,
    ],
  ],
  ["src/store/backup", ["test/store/backups", "test/cli/db"]],
  [
    "src/store/sqlite",
    [
      ...["test/store", "test/faults/commits", "test/faults/replaced-file", "test/faults/writes"],
      ...["test/cli/db.", "test/cli/dry-run", "test/security/local-files"],
    ],
  ],
];

/** The folders that are mutated unless others are given. */
export const defaultFolders = ["src/core", "src/delivery", "src/http", "src/store/sqlite", "src/store/backup"];

/** Tests of all groups of operations. */
const ofAllGroups = [
  ...behaviour("long-texts", "optional-texts", "paging", "statement-counts", "unknown-filters", "webhooks-events"),
  "test/security/wrong-input",
];

/** Returns the filters of the test files that exercise some source files or folders. */
export function testsOf(paths: readonly string[]): string[] {
  const covers = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
  return [
    ...new Set(
      paths.flatMap((path) => {
        const clean = relative("", path);
        const tests = suites.find(([folder]) => covers(folder, clean))?.[1];
        if (tests === undefined) throw new Error(`No tests are known for ${path}. Name them with --tests.`);
        return clean.startsWith("src/core/") ? [...tests, ...ofAllGroups] : tests;
      }),
    ),
  ];
}
