import { groupRoles } from "../../contract/group-forms.ts";
import { groups as ops } from "../../contract/groups.ts";
import type { Group } from "../tree.ts";

const id = { field: "id", completes: "groups" } as const;
const group = { ...id, label: "group" } as const;
const user = { field: "user", completes: "users" } as const;
const row = ["id", "name", "privacy", "member_count", "role", "updated_at"];
const memberRow = ["user.id", "user.name", "role", "user.title", "user.unit.name", "joined_at"];

const member: Group = {
  summary: "Who is in a group",
  commands: {
    list: {
      op: ops.members,
      args: [group],
      columns: memberRow,
      examples: ["wcs groups member list 3", "wcs groups member list 3 --role administrator"],
    },
    add: {
      op: ops.memberAdd,
      args: [group, { ...user, needed: true }],
      columns: memberRow,
      people: ["user"],
      examples: ["wcs groups member add 3 me", "wcs groups member add 3 'Ann Smith' --role administrator"],
    },
    set: {
      op: ops.memberSet,
      args: [group, user, { field: "role", completes: groupRoles }],
      columns: memberRow,
      people: ["user"],
      examples: ["wcs groups member set 3 12 administrator"],
    },
    remove: {
      op: ops.memberRemove,
      args: [group, user],
      people: ["user"],
      confirm: { ask: "Remove user {user} from group {id}?" },
      done: "Removed user {user} from group {id}.",
      examples: ["wcs groups member remove 3 12", "wcs groups member remove 3 me --yes"],
    },
  },
};

export const groups: Group = {
  summary: "Groups and their members, the home of debates",
  commands: {
    list: {
      op: ops.list,
      columns: row,
      examples: ["wcs groups list --mine", "wcs groups list --name sail --no-mine"],
    },
    get: { op: ops.get, args: [id], columns: row },
    create: {
      op: ops.create,
      examples: ["wcs groups create --name Sailing", "wcs groups create --name Board --privacy private"],
    },
    update: {
      op: ops.update,
      args: [id],
      examples: ["wcs groups update 3 --description @about.txt --privacy private"],
    },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete group {name}?", about: ops.get },
      done: "Deleted group {id}.",
    },
    member,
  },
};
