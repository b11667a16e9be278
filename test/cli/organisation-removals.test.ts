import { writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { usePlace } from "./places.ts";

const place = usePlace();
const wcs = (...args: string[]) => place().wcs(args);
const count = async (...args: string[]) => JSON.parse((await wcs(...args, "--json")).stdout).length;
const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
const fileOf = (units: number, users: number) => {
  const file = place().home.path(`${units}-${users}.yaml`);
  const lines = [
    "units:",
    "- {reference: root}",
    ...numbers.slice(0, units).map((n) => `- {reference: U-${n}}`),
    "users:",
    "- {reference: E-1}",
    ...numbers.slice(1, users).map((n) => `- {reference: E-${n}}`),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
};

beforeAll(async () => {
  await wcs("units", "update", "1", "--reference", "root");
  await place().wcs(["units", "import", "-"], {
    stdin: `reference,name,parent\n${numbers.map((n) => `U-${n},U ${n},root`).join("\n")}\n`,
  });
  await place().wcs(["users", "import", "-"], {
    stdin: `reference,first_name,last_name,email,unit\n${numbers.map((n) => `E-${n},E,${n},e${n}@example.com,root`).join("\n")}\n`,
  });
});

it("apply --prune refuses a file that would remove too many users or units, before the first change", async () => {
  const file = fileOf(0, 1);
  const shown = JSON.parse((await wcs("diff", file, "--prune", "--json")).stdout);
  expect(shown).toHaveLength(23);
  for (const flags of [["--yes"], ["--dry-run"], ["--yes", "--max-removals", "50%"]]) {
    const { code, stdout, stderr } = await wcs("apply", file, "--prune", ...flags);
    expect([code, stdout]).toEqual([7, ""]);
    const allowed = flags.includes("50%") ? "50%" : "10 or 5%";
    expect(stderr).toContain(
      `error: --prune would deactivate 11 of 13 active users and delete 12 of 13 units, and --max-removals allows ${allowed}; nothing was changed.\nhint: Check that the file is complete; wcs diff --prune shows`,
    );
  }
  const users = await wcs("apply", fileOf(12, 1), "--prune", "--yes");
  expect([users.code, users.stderr]).toEqual([
    7,
    expect.stringContaining("--prune would deactivate 11 of 13 active users, and"),
  ]);
  const units = await wcs("apply", fileOf(1, 12), "--prune", "--yes");
  expect([units.code, units.stderr]).toEqual([7, expect.stringContaining("--prune would delete 11 of 13 units, and")]);
  expect([await count("users", "list"), await count("units", "list")]).toEqual([13, 13]);
});

it("apply refuses --max-removals without --prune, and what is no number", async () => {
  const file = fileOf(12, 12);
  const without = await wcs("apply", file, "--max-removals", "20");
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("--max-removals needs --prune")]);
  const many = await wcs("apply", file, "--prune", "--max-removals", "many");
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining("--max-removals: 'many' must be a number")]);
});

it("apply --prune removes as many as --max-removals allows, and up to 10 without it", async () => {
  expect((await wcs("apply", fileOf(2, 2), "--prune", "--yes")).code).toBe(0);
  expect([await count("users", "list"), await count("units", "list")]).toEqual([3, 3]);
  const none = await wcs("apply", fileOf(2, 1), "--prune", "--yes", "--max-removals", "0");
  expect([none.code, none.stderr]).toEqual([7, expect.stringContaining("deactivate 1 of 3 active users")]);
  expect((await wcs("apply", fileOf(0, 1), "--prune", "--yes", "--max-removals", "70%")).code).toBe(0);
  expect([await count("users", "list"), await count("units", "list")]).toEqual([2, 1]);
});
