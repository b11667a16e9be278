import { usertypes as ops } from "../../contract/usertypes.ts";
import type { Group } from "../tree.ts";

const id = { field: "id", completes: "usertypes" } as const;
const row = ["id", "name", "reference"];

export const usertypes: Group = {
  summary: "User types and what they may do",
  commands: {
    list: { op: ops.list, columns: row },
    get: { op: ops.get, args: [id], columns: row, instead: { reference: ops.reference } },
    create: { op: ops.create, examples: ["wcs usertypes create --name Editor --abilities-news --abilities-calendar"] },
    update: { op: ops.update, args: [id], examples: ["wcs usertypes update 3 --no-abilities-news"] },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete user type {name}?", about: ops.get },
      done: "Deleted user type {id}.",
    },
  },
};
