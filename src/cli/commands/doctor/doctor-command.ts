import type { TopLevelCommand } from "../../kit/command-spec.ts";

export const doctor: TopLevelCommand = {
  description:
    "Checks this machine, the database or instance, and the login, and says how to fix each problem. Changes nothing,\nexcept that it migrates an older database as every command does. Exits with 9 when a check fails, with 0 when there\nare only warnings.",
  examples: ["wcs doctor", "wcs doctor --url https://wcs.example.com", "wcs doctor --query \"[?state!='ok']\""],
  prints: true,
  run: async (context) => (await import("./run-doctor.ts")).runDoctor(context),
};
