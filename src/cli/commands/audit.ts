import { audit as ops } from "../../contract/audit.ts";
import type { Group } from "../tree.ts";

export const audit: Group = {
  summary: "Who changed what",
  commands: {
    list: {
      op: ops.list,
      columns: ["created_at", "actor.name", "operation", "path", "fields", "outcome", "address"],
      people: ["actor"],
      examples: [
        "wcs audit list --since -7d",
        "wcs audit list --actor 'Ann Smith' --operation users.update",
        "wcs audit list --path /users/12 --all -o ndjson",
        "wcs audit list --operation auth.authenticate --query '[?outcome==`failed`]'",
      ],
    },
  },
};
