import type { OwnLeaf } from "../tree.ts";

export const doctor: OwnLeaf = {
  summary: "Find out what is wrong, and what to do about it",
  description:
    "Looks at this machine, the database or instance, and the login. Changes nothing but the schema of an older database,\nas every command does. Exit 9 when a check failed; warnings alone are 0.",
  examples: ["wcs doctor", "wcs doctor --url https://wcs.example.com", "wcs doctor --query \"[?state!='ok']\""],
  prints: true,
  run: async (context) => (await import("../doctor/doctor.ts")).doctor(context),
};
