import { pluralize } from "../../../contract/count-text.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ItemOf } from "../../../contract/operation.ts";
import { units as ops } from "../../../contract/units.ts";
import { byReference } from "../../kit/alternative-requests.ts";
import { askAbout, type CommandGroup, type Commands, command } from "../../kit/command-spec.ts";
import { imageCommands } from "../files/files-commands.ts";
import { exportUnits, importUnits } from "../transfer/transfer-commands.ts";

const unit = { field: "id", label: "unit" } as const;
const row = ["id", "name", "unit_type", "parent.name", "reference", "stats.users"] as const;

const department: CommandGroup = {
  summary: "Manage the departments of a unit",
  commands: {
    add: command(ops.departmentAdd, {
      args: [unit, { field: "name" }],
      examples: ["wcs units department add 4 Finance"],
    }),
    update: command(ops.departmentUpdate, {
      args: [unit, { field: "department" }],
      examples: ["wcs units department update 4 Finance --name Accounting"],
    }),
    remove: command(ops.departmentRemove, {
      args: [unit, { field: "department" }],
      confirm: askAbout(ops.get, ({ name, departments }, { department }) => {
        const removed = departments.find(({ id }) => id === department);
        return `Remove department ${removed?.name ?? department} from unit ${name}?`;
      }),
      done: ({ department }) => `Removed department ${department}.`,
    }),
  },
};

const imageOps = { get: ops.get, set: ops.imageSet, delete: ops.imageDelete };
const image = imageCommands({ owner: "unit", noun: "image", ops: imageOps, example: ["4", "harbour.jpg"] });

export const units: Commands = {
  list: command(ops.list, {
    columns: row,
    examples: ["wcs units list --parent 1", "wcs units list --all --fields id,name,path -o csv"],
  }),
  get: command(ops.get, {
    columns: row,
    ...byReference(ops.reference),
    examples: ["wcs units get 4", "wcs units get --reference SALES"],
  }),
  tree: command(ops.tree, {
    args: [{ ...unit, field: "unit" }],
    columns: ["id", "name", "parent_id", "level", "stats.users"],
    draw: async () => (await import("./draw-tree.ts")).drawTree,
    examples: ["wcs units tree", "wcs units tree 4 --depth 2"],
  }),
  children: command(ops.children, { columns: row }),
  create: command(ops.create, { examples: ["wcs units create --name Sales --parent 1 --reference SALES"] }),
  update: command(ops.update, {
    examples: ["wcs units update 4 --contact-phone '+45 12 34 56 78'", "wcs units update 4 --unset reference"],
  }),
  move: command(ops.move, { examples: ["wcs units move 7 --parent 4"] }),
  delete: command(ops.delete, {
    confirm: askAbout(ops.get, askToDelete),
    done: ({ id }) => `Deleted unit ${id}.`,
    // The root unit, which has the ID 1, cannot be deleted at all.
    onConflict: ({ id, transfer }) =>
      transfer === undefined && id !== 1
        ? "If the unit has children or members, choose the unit to move them to: --transfer ID"
        : undefined,
    examples: ["wcs units delete 7 --transfer 4 --dry-run", "wcs units delete 7 --transfer 4 --yes"],
  }),
  department,
  image,
  import: importUnits,
  export: exportUnits,
};

/** Asks with the numbers of children and members that move. Without `transfer`, throws the service's error before asking. */
function askToDelete(
  { id, name, parent, stats }: ItemOf<typeof ops.get>,
  { transfer }: Record<string, unknown>,
): string {
  const held = `${pluralize(stats.children, "child", "children")} and ${pluralize(stats.users, "member")}`;
  if (parent === null || stats.children + stats.users === 0) return `Delete unit ${name}?`;
  if (transfer === undefined) throw new ServiceError("conflict", `Unit ${id} has ${held}.`);
  return `Delete unit ${name}, and move its ${held} to unit ${transfer}?`;
}
