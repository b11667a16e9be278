import { units as ops } from "../../contract/units.ts";
import type { Group } from "../tree.ts";
import { exportUnits, importUnits } from "./transfer.ts";

const id = { field: "id", completes: "units" } as const;
const unit = { field: "id", label: "unit", completes: "units" } as const;
const row = ["id", "name", "unit_type", "parent.name", "reference", "stats.users"];

const department: Group = {
  summary: "Departments of a unit",
  commands: {
    add: { op: ops.departmentAdd, args: [unit, { field: "name" }], examples: ["wcs units department add 4 Finance"] },
    update: { op: ops.departmentUpdate, args: [unit, { field: "department" }] },
    remove: {
      op: ops.departmentRemove,
      args: [unit, { field: "department" }],
      confirm: { ask: "Remove department {department} of unit {id}?" },
      done: "Removed department {department}.",
    },
  },
};

export const units: Group = {
  summary: "The tree of units, and their departments",
  commands: {
    list: {
      op: ops.list,
      columns: row,
      examples: ["wcs units list --parent 1", "wcs units list --all --fields id,name,path -o csv"],
    },
    get: {
      op: ops.get,
      args: [id],
      columns: row,
      instead: { reference: ops.reference },
      examples: ["wcs units get 4", "wcs units get --reference SALES"],
    },
    tree: {
      op: ops.tree,
      args: [{ ...unit, field: "unit" }],
      columns: ["id", "name", "parent_id", "level", "stats.users"],
      draw: async () => (await import("../tree-drawing.ts")).drawTree,
      examples: ["wcs units tree", "wcs units tree 4 --depth 2"],
    },
    children: { op: ops.children, args: [id], columns: row },
    create: {
      op: ops.create,
      examples: ["wcs units create --name Sales --parent 1 --reference SALES"],
    },
    update: {
      op: ops.update,
      args: [id],
      examples: ["wcs units update 4 --contact-phone '+45 12 34 56 78'", "wcs units update 4 --unset reference"],
    },
    move: { op: ops.move, args: [id], examples: ["wcs units move 7 --parent 4"] },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete unit {name}?", about: ops.get },
      done: "Deleted unit {id}.",
    },
    department,
    import: importUnits,
    export: exportUnits,
  },
};
