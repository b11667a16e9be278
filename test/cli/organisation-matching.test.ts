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
  await addUser("Max", "--email", "max@example.com", "--reference", "E-4");
});

it("diff matches by e-mail address a user without a reference, and no user with another reference", async () => {
  const entry = (reference: string, name: string) =>
    `- {reference: ${reference}, first_name: ${name}, last_name: X, email: ${name.toLowerCase()}@example.com, unit: root}`;
  const file = place().home.path("users.yaml");
  writeFileSync(file, ["version: 1", "users:", entry("E-2", "Kim"), entry("E-3", "Lee"), ""].join("\n"));
  const refused = await place().wcs(["diff", file]);
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringContaining("users.yaml:3: users[0].email is taken by user 2 (Kim X)\n"),
  ]);
  writeFileSync(file, ["version: 1", "users:", entry("E-2", "Kay"), entry("E-3", "Lee"), ""].join("\n"));
  const rows = JSON.parse(await done("diff", file, "--json")) as Record<string, string>[];
  expect(rows.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
    "create user E-2",
    "update user E-3",
  ]);
});

it.each([
  ["a taken address", "{reference: E-1, email: max@example.com}", "[0].email is taken by user 4 (Max X)"],
  [
    "a taken address of a new user",
    "{reference: E-9, first_name: A, last_name: B, email: KIM@example.com, unit: new}",
    "[0].email is taken by user 2 (Kim X)",
  ],
  ["the last administrator", "{email: ADMIN, admin: false}", "[0] is the last active administrator"],
  ["the last administrator, deactivated", "{email: ADMIN, active: false}", "[0] is the last active administrator"],
  ["the provider of the last administrator", "{email: ADMIN, provider: okta}", "[0] is the last active administrator"],
])("apply refuses %s before the first change", async (_, entry, issue) => {
  const admin = JSON.parse(await done("users", "get", "1", "--json")).email;
  const file = place().home.path("refused.yaml");
  const unit = "units: [{reference: new, name: New, parent: root}]";
  writeFileSync(file, `${unit}\nusers:\n- ${entry.replace("ADMIN", admin)}\n`);
  for (const command of [["apply", "--dry-run"], ["apply"]]) {
    const { code, stderr } = await place().wcs([...command, file]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`users${issue}`)]);
  }
  expect((await place().wcs(["units", "get", "--reference", "new"])).code).toBe(6);
});

it("apply --prune refuses a file that would deactivate all other administrators, before the first change", async () => {
  const admin = JSON.parse(await done("users", "get", "1", "--json")).email;
  await done("users", "update", "ref:E-4", "--admin");
  await addUser("Bot", "--service", "--admin");
  const file = place().home.path("all.yaml");
  writeFileSync(file, `users: [{reference: E-1, title: Boss}, {email: ${admin}, admin: false}]`);
  for (const flags of [["--dry-run"], ["--yes"]]) {
    const { code, stderr } = await place().wcs(["apply", file, "--prune", ...flags]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("users[1] is the last active administrator")]);
  }
  await done("users", "update", "ref:E-4", "--no-admin");
});

it("apply accepts a file in which the last administrator hands over", async () => {
  const admin = JSON.parse(await done("users", "get", "1", "--json")).email;
  const file = place().home.path("handed-over.yaml");
  writeFileSync(file, `users: [{reference: E-1, admin: true}, {email: ${admin}, admin: false}]`);
  await done("apply", file, "--dry-run");
});

it("apply refuses to revoke the rights of the caller and deactivate it at once, before the first change", async () => {
  const admin = JSON.parse(await done("users", "get", "1", "--json")).email;
  const file = place().home.path("leaving.yaml");
  const unit = "units: [{reference: new, name: New, parent: root}]";
  const leaving = `{email: ${admin}, admin: false, active: false}`;
  writeFileSync(file, `${unit}\nusers: [{reference: E-1, admin: true}, ${leaving}]`);
  for (const command of [["apply", "--dry-run"], ["apply"]]) {
    const { code, stderr } = await place().wcs([...command, file]);
    const issue = "users[1].active cannot be false together with admin for yourself; remove one of the two";
    expect([code, stderr]).toEqual([3, expect.stringContaining(issue)]);
  }
  expect((await place().wcs(["units", "get", "--reference", "new"])).code).toBe(6);
});

it("a new user type takes the name of a renamed one, and neither its abilities nor its holders", async () => {
  const held = "users: [{reference: E-1, user_types: [boss]}]";
  const apply = async (usertypes: string) => {
    writeFileSync(place().home.path("types.yaml"), `usertypes: [${usertypes}]\n${held}\n`);
    return JSON.parse(await done("apply", place().home.path("types.yaml"), "--json")) as Record<string, string>[];
  };
  await apply("{reference: boss, name: Boss, abilities: []}");
  const swapped = "{name: BOSS, abilities: [user]}, {reference: boss, name: Team lead, abilities: []}";
  const rows = await apply(swapped);
  expect(rows.map(({ action, name }) => `${action} ${name}`).sort()).toEqual(["create BOSS", "update boss"]);
  expect(await apply(swapped)).toEqual([]);
  const exported = await done("export", "--only", "usertypes");
  expect(exported.slice(exported.indexOf("usertypes:"))).toBe(
    "usertypes:\n- name: BOSS\n  abilities: [user]\n- reference: boss\n  name: Team lead\n  abilities: []\n",
  );
});

it("names of user types are equal in a file as in the service: without case and accents", async () => {
  const file = place().home.path("accents.yaml");
  const before = "{reference: x, name: X}, {reference: y, name: Y}, {name: Rod}, {reference: blue, name: Blå}";
  writeFileSync(file, `usertypes: [${before}]\nusers: [{reference: E-1, user_types: [rød]}]`);
  await done("apply", file);
  const swapped = "- {reference: x, name: Y}\n- {reference: y, name: X}";
  const added = "- {name: Café}\n- {reference: new, name: Cafe}\n- {reference: newer, name: BLA}";
  writeFileSync(file, `usertypes:\n${swapped}\n${added}\n`);
  for (const command of [["diff"], ["apply", "--dry-run"], ["apply"]]) {
    const { code, stderr } = await place().wcs([...command, file]);
    expect([code, stderr.replaceAll(`${file}:`, "").split("\n").slice(0, 2)]).toEqual([
      3,
      [
        "5: usertypes[3].name is already used by usertypes[2]",
        expect.stringMatching(/^6: usertypes\[4\]\.name is taken by user type \d+ \(Blå\)$/),
      ],
    ]);
  }
  writeFileSync(file, `usertypes:\n${swapped}\n- {name: Rød}\nusers: [{reference: E-1, user_types: [rod, y]}]\n`);
  const rows = JSON.parse(await done("apply", file, "--json")) as Record<string, string>[];
  expect(rows.map(({ action, name }) => `${action} ${name}`)).toEqual([
    "update x",
    "update y",
    "update Rød",
    "update E-1",
  ]);
  expect(JSON.parse(await done("diff", file, "--json"))).toEqual([]);
});

it("a user who moves to another unit is in its department, also if that has the name of the one before", async () => {
  const file = place().home.path("moved.yaml");
  const apply = (unit: string) => {
    const units = ["m-1", "m-2"].map(
      (reference) => `{reference: ${reference}, name: M, parent: root, departments: [Sales]}`,
    );
    writeFileSync(file, `units: [${units.join(", ")}]\nusers: [{reference: E-1, unit: ${unit}, department: Sales}]\n`);
    return done("apply", file, "--yes");
  };
  await apply("m-1");
  await apply("m-2");
  expect(JSON.parse(await done("diff", file, "--json"))).toEqual([]);
  const { unit, department } = JSON.parse(await done("users", "get", "ref:E-1", "--json"));
  const { id } = JSON.parse(await done("units", "get", "ref:m-2", "--json"));
  expect([unit.id, department?.name]).toEqual([id, "Sales"]);
});
