import { writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { usePlace } from "./places.ts";

const place = usePlace();
const done = async (...args: string[]) => {
  const { code, stdout, stderr } = await place().wcs(args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
};
const addUser = (name: string, ...more: string[]) =>
  done("users", "create", "--first-name", name, "--last-name", "X", "--unit", "1", ...more);
beforeAll(async () => {
  await done("units", "update", "1", "--reference", "root");
  await addUser("Kim", "--email", "kim@example.com", "--reference", "E-1");
  await addUser("Lee", "--email", "lee@example.com");
});

it("diff matches by e-mail address a user without a reference, and no user with another reference", async () => {
  const entry = (reference: string, name: string) =>
    `- {reference: ${reference}, first_name: ${name}, last_name: X, email: ${name.toLowerCase()}@example.com, unit: root}`;
  const file = place().home.path("users.yaml");
  writeFileSync(file, ["version: 1", "users:", entry("E-2", "Kim"), entry("E-3", "Lee"), ""].join("\n"));
  const rows = JSON.parse(await done("diff", file, "--json")) as Record<string, string>[];
  expect(rows.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
    "create user E-2",
    "update user E-3",
  ]);
});
