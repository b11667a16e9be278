import { ServiceError } from "../../../contract/errors.ts";
import { users as ops } from "../../../contract/users.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { byReference } from "../../kit/alternative-requests.ts";
import {
  askAbout,
  type CommandGroup,
  type Commands,
  command,
  type OperationRun,
  type WizardRun,
} from "../../kit/command-spec.ts";
import { describeNamed } from "../../kit/field-flags.ts";
import { imageCommands } from "../files/files-commands.ts";
import { exportUsers, importUsers } from "../transfer/transfer-commands.ts";
import type { WelcomeRun } from "./note-unsent-mail.ts";

const id = { field: "id" } as const;
const user = { field: "user" } as const;
const unit = { field: "unit" } as const;
const row = ["id", "name", "title", "unit.name", "email", "active"] as const;

const wizard = { ask: async (run: WizardRun) => (await import("./ask-for-membership.ts")).askForMembership(run) };

async function welcome(run: WelcomeRun, finished: Promise<unknown>, isWelcomed: boolean): Promise<void> {
  await finished;
  if (isWelcomed) await (await import("./note-unsent-mail.ts")).noteUnsentMail(run);
}

const membership: CommandGroup = {
  summary: "Manage memberships of a user in units",
  commands: {
    list: command(ops.memberships, {
      items: "memberships",
      columns: ["unit.id", "unit.name", "department.name", "userTypes.name"],
      examples: ["wcs users membership list me"],
    }),
    add: command(ops.membershipAdd, {
      args: [user, unit],
      wizard,
      examples: ["wcs users membership add 12 4 --user-types 2,3"],
    }),
    set: command(ops.membershipSet, {
      args: [user, { field: "from", label: "unit", optional: true, completes: "memberships" }],
      found: { field: "from", by: async (run) => (await import("./ask-for-membership.ts")).findUnitOfMembership(run) },
      done: ({ user, from, unit }) =>
        unit === undefined || unit === from
          ? `Changed the membership of user ${user} in unit ${from}.`
          : `Moved user ${user} from unit ${from} to unit ${unit}.`,
      examples: [
        "wcs users membership set ada@example.com --unit Sales",
        "wcs users membership set 12 4 --unit 7",
        "wcs users membership set 12 4 --user-types 3 --no-overwrite",
      ],
    }),
    remove: command(ops.membershipRemove, {
      args: [user, { ...unit, completes: "memberships" }],
      confirm: askAbout(
        ops.get,
        ({ name, memberUnits }, { unit }) => {
          const left = memberUnits.find(({ unit: { id } }) => id === unit);
          return `Remove ${name} from unit ${left?.unit.name ?? unit}?`;
        },
        "user",
      ),
      reversible: true,
      done: ({ user, unit }) => `Removed user ${user} from unit ${unit}.`,
    }),
  },
};

const avatarOps = { get: ops.get, set: ops.avatarSet, delete: ops.avatarDelete };
const avatar = imageCommands({ owner: "user", noun: "avatar", ops: avatarOps, example: ["me", "portrait.jpg"] });

export const users: Commands = {
  list: command(ops.list, {
    columns: row,
    complete: (input) => {
      if (input.below && input.unit === undefined) throw new UsageError("--below requires --unit");
      return input;
    },
    examples: [
      "wcs users list --unit 4 --below",
      "wcs users list --all -o ndjson > users.ndjson",
      "wcs users list --ability user --ability-unit Sales",
      "wcs users list --no-has-password --all -t '{id}' | xargs -r -n 500 wcs users welcome",
    ],
  }),
  get: command(ops.get, {
    args: [{ ...id, many: true }],
    columns: row,
    ...byReference(ops.reference, ops.collection),
    examples: [
      "wcs users get 12",
      "wcs users get me --json",
      "wcs users get 12 13 14",
      "wcs users get 12 13 14 -o ndjson",
      "wcs users get --reference E-1044",
    ],
  }),
  search: command(ops.search, {
    args: [{ field: "q", label: "words", many: true }],
    columns: row,
    examples: ["wcs users search ada lov"],
  }),
  create: command(ops.create, {
    wizard,
    perform: (run) => welcome(run, run.finish(run.input), run.input.welcome === true),
    needed: { field: "email", unless: "service" },
    examples: [
      "wcs users create --first-name Ada --last-name Lovelace --email ada@example.com --unit 4 --welcome",
      "wcs users create --service --first-name Nightly --last-name Import --unit 4",
      "wcs users create --data @user.json --dry-run",
    ],
  }),
  update: command(ops.update, {
    perform: update,
    examples: ["wcs users update 12 --title 'Head of Sales'", "wcs users update me --unset phone"],
  }),
  delete: command(ops.delete, {
    args: [{ ...id, many: true }],
    confirm: askAbout(
      ops.get,
      ({ name }) =>
        `Delete user ${name}? The personal data is erased permanently; wcs users export-data saves it first.`,
    ),
    done: ({ id }) => `Deleted user ${id}.`,
    examples: ["wcs users delete 12 --dry-run", "wcs users delete 12 --yes"],
  }),
  deactivate: command(ops.deactivate, {
    args: [{ ...id, many: true }],
    confirm: askAbout(ops.get, ({ name }) => `Deactivate user ${name}?`),
    reversible: true,
    done: ({ id }) => `Deactivated user ${id}.`,
    examples: ["wcs users deactivate 12 13 --yes"],
  }),
  reactivate: command(ops.reactivate, { args: [{ ...id, many: true }], done: ({ id }) => `Reactivated user ${id}.` }),
  current: command(ops.current, {}),
  welcome: command(ops.welcome, {
    perform: (run) => welcome(run, run.finish(run.input), true),
    args: [{ field: "users", label: "id", many: true }],
    done: ({ users }) => `Queued the welcome mail to user${users.length === 1 ? "" : "s"} ${users.join(", ")}.`,
    examples: ["wcs users welcome 12 13"],
  }),
  password: command(ops.password, {
    perform: setPassword,
    done: ({ id }) => `Set the password of user ${id}. Existing tokens are no longer valid.`,
    examples: ["wcs users password me", "pass show wcs/ada | wcs users password 12 --password-stdin"],
  }),
  "reset-2fa": command(ops.twoFactorReset, {
    confirm: askAbout(ops.get, ({ name }) => `Switch off the second factor of ${name}? A password is enough then.`),
    done: ({ id }) => `User ${id} has no second factor now.`,
    examples: ["wcs users reset-2fa ada@example.com"],
  }),
  birthdays: command(ops.birthdays, {
    items: "birthdays",
    columns: ["id", "day", "name", "title", "unit.name"],
    examples: ["wcs users birthdays --start 12-01 --end 12-31 --all"],
  }),
  policy: {
    summary: "Accept the site policy",
    commands: { accept: command(ops.policy, { done: () => "Accepted the site policy." }) },
  },
  avatar,
  membership,
  import: importUsers,
  export: exportUsers,
  "export-data": {
    summary: "Export all data that is kept about a user",
    description: `Writes a new folder with a JSON file for each kind of data, such as profile.json, messages.json and changes_by.json, and
the folder files with the avatar and the attached files. Times are Unix seconds; secrets and hashes are left out. You can
export your own data; administrators can export those of others, without conversations, messages, personal events,
marks, votes and sign-ins. With access to the database, --as exports these, too. The export is recorded in the audit
log. Exits with 7 when the folder exists.`,
    args: [{ name: "user", description: describeNamed("users"), completes: "users" }],
    flags: [{ flags: "--to <path>", description: "New folder to write to, readable only by you" }],
    examples: [
      "wcs users export-data me --to my-data",
      "wcs users export-data ada@example.com --to ada --json",
      "wcs users export-data me --to ada --db wcs.db --as ada@example.com",
    ],
    prints: true,
    run: async (context) => (await import("./export-user-data.ts")).exportUserData(context),
  },
};

/** Says that a service account which becomes an administrator loses its API tokens. */
async function update({ input, context, finish }: OperationRun<typeof ops.update>): Promise<void> {
  const { id, provider } = await finish(input);
  if (!input.admin || !provider.includes("service") || context.flags.dryRun) return;
  context.terminal.note(
    `Its API tokens ended if it was no administrator before. Create one with wcs tokens create --owner ${id}.`,
  );
}

/** Sets the password. Prompts for the current password only when the service requires it. */
async function setPassword({ input, context, finish }: OperationRun<typeof ops.password>): Promise<void> {
  const { terminal } = context;
  try {
    await finish(input);
  } catch (error) {
    const isRequired = error instanceof ServiceError && error.fields?.current && input.current === undefined;
    if (!isRequired || !terminal.interactive) throw error;
    await finish({ ...input, current: await (await terminal.ask()).secret("Current password:") });
  }
}
