import { audit as ops } from "../../../contract/audit.ts";
import { type Commands, command } from "../../kit/command-spec.ts";

export const audit: Commands = {
  list: command(ops.list, {
    items: "entries",
    columns: ["created_at", "actor.name", "operation", "path", "outcome", "fields", "address"],
    uncut: ["operation", "path"],
    examples: [
      "wcs audit list --since -7d",
      "wcs audit list --actor 'Ann Smith' --operation users.update",
      "wcs audit list --operation 'webhooks.*'",
      "wcs audit list --user ann@example.com --all -o ndjson",
      "wcs audit list --operation auth.authenticate --query '[?outcome==`failed`]'",
    ],
  }),
};
