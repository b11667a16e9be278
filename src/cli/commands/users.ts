import { users as ops } from "../../contract/users.ts";
import type { Group } from "../tree.ts";
import { exportUsers, importUsers } from "./transfer.ts";

const id = { field: "id", completes: "users" } as const;
const user = { field: "user", completes: "users" } as const;
const unit = { field: "unit", completes: "units" } as const;
const row = ["id", "name", "title", "unit.name", "email", "active"];

const membership: Group = {
  summary: "Memberships of units",
  commands: {
    list: {
      op: ops.memberships,
      args: [user],
      columns: ["unit.id", "unit.name", "department.name", "userTypes.name"],
      examples: ["wcs users membership list me"],
    },
    add: {
      op: ops.membershipAdd,
      args: [user, unit],
      examples: ["wcs users membership add 12 4 --user-types 2,3"],
    },
    set: {
      op: ops.membershipSet,
      args: [user, { field: "from", label: "unit", completes: "units" }],
      done: "Changed the membership of user {user} in unit {from}.",
      examples: [
        "wcs users membership set 12 4 --unit 7          # move it to unit 7",
        "wcs users membership set 12 4 --user-types 3 --no-overwrite",
      ],
    },
    remove: {
      op: ops.membershipRemove,
      args: [user, unit],
      confirm: { ask: "Remove user {user} from unit {unit}?" },
      done: "Removed user {user} from unit {unit}.",
    },
  },
};

export const users: Group = {
  summary: "People, their memberships and birthdays",
  commands: {
    list: {
      op: ops.list,
      columns: row,
      examples: [
        "wcs users list --unit 4 --below",
        "wcs users list --all -o ndjson > users.ndjson",
        "wcs users list --all --query '[?admin].email'",
      ],
    },
    get: {
      op: ops.get,
      args: [{ ...id, many: true }],
      columns: row,
      instead: { several: ops.collection, reference: ops.reference },
      examples: [
        "wcs users get 12",
        "wcs users get me --json",
        "wcs users get 12 13 14",
        "wcs users get --reference E-1044",
      ],
    },
    search: {
      op: ops.search,
      args: [{ field: "q", label: "words", many: true }],
      columns: row,
      examples: ["wcs users search ada lov"],
    },
    create: {
      op: ops.create,
      examples: [
        "wcs users create --first-name Ada --last-name Lovelace --email ada@example.com --unit 4 --welcome",
        "wcs users create --data @user.json --dry-run",
      ],
    },
    update: {
      op: ops.update,
      args: [id],
      examples: ["wcs users update 12 --title 'Head of Sales'", "wcs users update me --unset phone"],
    },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete user {name}? The personal data is erased for good.", about: ops.get },
      done: "Deleted user {id}.",
    },
    deactivate: {
      op: ops.deactivate,
      args: [id],
      confirm: { ask: "Deactivate user {name}?", about: ops.get },
      done: "Deactivated user {id}.",
    },
    reactivate: { op: ops.reactivate, args: [id], done: "Reactivated user {id}." },
    current: { op: ops.current },
    welcome: {
      op: ops.welcome,
      args: [{ field: "users", label: "id", many: true, completes: "users" }],
      done: "Sent the welcome mail to {users}.",
      examples: ["wcs users welcome 12 13"],
    },
    password: {
      op: ops.password,
      args: [id],
      onDemand: ["current"],
      done: "Set the password of user {id}; tokens from before are no longer good.",
      examples: ["wcs users password me", "pass show wcs/ada | wcs users password 12 --password-stdin"],
    },
    birthdays: {
      op: ops.birthdays,
      columns: ["id", "name", "title", "unit.name"],
      examples: ["wcs users birthdays --start 12-01 --end 12-31 --all"],
    },
    policy: {
      summary: "The site policy",
      commands: { accept: { op: ops.policy, done: "Accepted the site policy." } },
    },
    membership,
    import: importUsers,
    export: exportUsers,
  },
};
