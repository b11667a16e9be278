import { usertypes as ops } from "../../../contract/usertypes.ts";
import { byReference, referenceFlag } from "../../kit/alternative-requests.ts";
import { askAbout, type CommandGroup, command } from "../../kit/command-spec.ts";

const id = { field: "id" } as const;
const row = ["id", "name", "reference"] as const;

export const usertypes: CommandGroup = {
  summary: "Manage user types and their abilities",
  commands: {
    list: command(ops.list, {
      columns: [...row, "abilities"],
    }),
    get: command(ops.get, {
      args: [id],
      columns: row,
      alternative: (ids, flags) => byReference(ops.reference, ids, flags),
      flags: [referenceFlag],
    }),
    create: command(ops.create, {
      examples: ["wcs usertypes create --name Editor --abilities-news --abilities-calendar"],
    }),
    update: command(ops.update, {
      args: [id],
      examples: ["wcs usertypes update 3 --no-abilities-news"],
    }),
    delete: command(ops.delete, {
      args: [id],
      confirm: askAbout(ops.get, ({ name }) => `Delete user type ${name}?`),
      done: ({ id }) => `Deleted user type ${id}.`,
    }),
  },
};
