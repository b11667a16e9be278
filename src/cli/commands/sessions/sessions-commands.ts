import { sessions as ops } from "../../../contract/sessions.ts";
import { type Commands, command } from "../../kit/command-spec.ts";

export const sessions: Commands = {
  list: command(ops.list, {
    columns: ["id", "user_agent", "address", "created_at", "last_used_at", "current"],
    examples: ["wcs sessions list"],
  }),
  end: command(ops.end, {
    confirm: ({ id }) => `End session ${id}? Its token is refused from then on.`,
    done: ({ id }) => `Ended session ${id}.`,
    examples: ["wcs sessions end 12"],
  }),
  "end-others": command(ops.endOthers, {
    confirm: () => "End all of your sessions except the current one?",
    done: () => "Ended your other sessions.",
    examples: ["wcs sessions end-others --yes"],
  }),
};
