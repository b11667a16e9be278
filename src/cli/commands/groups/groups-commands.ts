import { groupRoles } from "../../../contract/group-schemas.ts";
import { groups as ops } from "../../../contract/groups.ts";
import { users } from "../../../contract/users.ts";
import { askAbout, type CommandGroup, type Commands, command } from "../../kit/command-spec.ts";
import { imageCommands } from "../files/files-commands.ts";

const id = { field: "id" } as const;
const group = { ...id, label: "group" } as const;
const user = { field: "user" } as const;
const row = ["id", "name", "privacy", "member_count", "role", "updated_at"] as const;
const memberRow = ["user.id", "user.name", "role", "user.title", "user.unit.name", "joined_at"] as const;

const member: CommandGroup = {
  summary: "Manage the members of a group",
  commands: {
    list: command(ops.members, {
      items: "members",
      args: [group],
      columns: memberRow,
      examples: ["wcs groups member list 3", "wcs groups member list 3 --role administrator"],
    }),
    add: command(ops.memberAdd, {
      args: [group, { ...user, needed: true }],
      columns: memberRow,
      examples: ["wcs groups member add 3 me", "wcs groups member add 3 'Ann Smith' --role administrator"],
    }),
    set: command(ops.memberSet, {
      args: [group, user, { field: "role", completes: groupRoles }],
      columns: memberRow,
      examples: ["wcs groups member set 3 12 administrator"],
    }),
    remove: command(ops.memberRemove, {
      args: [group, user],
      confirm: askAbout(users.get, ({ name }, _, { id }) => `Remove ${name} from group ${id}?`, "user"),
      reversible: true,
      done: ({ user, id }) => `Removed user ${user} from group ${id}.`,
      examples: ["wcs groups member remove 3 12", "wcs groups member remove 3 me --yes"],
    }),
  },
};

const imageOps = { get: ops.get, set: ops.imageSet, delete: ops.imageDelete };
const image = imageCommands({ owner: "group", noun: "image", ops: imageOps, example: ["3", "sails.jpg"] });

export const groups: Commands = {
  list: command(ops.list, {
    columns: row,
    examples: ["wcs groups list --mine", "wcs groups list --name sail --no-mine"],
  }),
  get: command(ops.get, { columns: row }),
  create: command(ops.create, {
    examples: ["wcs groups create --name Sailing", "wcs groups create --name Board --privacy private"],
  }),
  update: command(ops.update, { examples: ["wcs groups update 3 --description @about.txt --privacy private"] }),
  delete: command(ops.delete, {
    confirm: askAbout(ops.get, ({ name }) => `Delete group ${name}?`),
    done: ({ id }) => `Deleted group ${id}.`,
  }),
  image,
  member,
};
