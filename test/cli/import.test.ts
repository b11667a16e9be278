import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { data, describePlaces } from "./places.ts";

const units = join(data, "units.csv");
const users = join(data, "users.csv");
const bad = join(data, "users-bad.csv");

/** Removes the IDs of created items, which a dry run does not have. */
const withoutIds = (results: string) => results.replace(/,created,\d*,/g, ",created,,");

const issues = [
  "line 3, unit: must not be blank",
  "line 4, unit: is not the reference of a unit: atlantis",
  "line 5, email: is taken by user ?",
  "line 6, email: must be an e-mail address like ann@example.com",
  "line 7, birthday: must be a date that exists, as YYYY-MM-DD",
  "line 8, user_types: contains a user type that does not exist: Astronaut",
  "line 12, first_name: must not be blank",
  "line 13, first_name: must have at most 255 characters",
  "line 14 has 4 columns, and the header 11",
  "line 15 has 13 columns, and the header 11",
  "line 17, language: must be a language tag like en or pt-BR (BCP 47)",
  "line 17, timezone: must be a time zone of the IANA database like Europe/Copenhagen",
  "line 18 has text after a closing quote",
  "line 19 contains invalid UTF-8; save the file as UTF-8",
  "line 20 has an unclosed quote",
];
const lastOfBad = [
  "error: 14 of 19 rows were not imported.",
  "hint: Correct these rows and import the file again. To free the address of a user who has left, run wcs users update <id> --email <address>.",
];

// One story, in which each step goes on from the one before.
describePlaces("import", (place) => {
  const file = (name: string) => place().home.path(name);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs(args);
    return { code, stdout, stderr: stderr.trimEnd().split("\n") };
  };

  it("units import takes children before their parents", async () => {
    const created = { code: 0, stdout: "", stderr: ["created 11, changed 0, unchanged 0, skipped 0"] };
    const rehearsed = await run("units", "import", units, "--dry-run");
    expect(rehearsed).toEqual({ ...created, stderr: [...created.stderr, "Dry run: nothing was changed."] });
    expect(await run("units", "import", units)).toEqual(created);
    const unchanged = "created 0, changed 0, unchanged 11, skipped 0";
    expect(await run("units", "import", units)).toEqual({ ...created, stderr: [unchanged] });
    const { stdout } = await run("units", "get", "--reference", "cph-k-hr", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'Human Resources, "HR"',
      unit_type: "department",
      level: 4,
      parent: { name: "København K" },
    });
    const mexico = await run("units", "get", "--reference", "mx", "--json");
    expect(JSON.parse(mexico.stdout)).toMatchObject({ description: "=1+1", level: 1 });
  });

  it("users import needs existing user types, or --create-user-types", async () => {
    const { code, stderr } = await run("users", "import", users);
    expect(code).toBe(3);
    expect(stderr).toContain(
      "line 5, user_types: contains a user type that does not exist: Employee and contains a user type that does not exist: Shift lead",
    );
    expect(stderr.at(-3)).toBe("created 2, changed 0, unchanged 0, skipped 8");
    const created = "created 8, changed 0, unchanged 2, skipped 0";
    expect(await run("users", "import", users, "--create-user-types")).toMatchObject({ code: 0, stderr: [created] });
    const unchanged = "created 0, changed 0, unchanged 10, skipped 0";
    expect(await run("users", "import", users)).toMatchObject({ code: 0, stderr: [unchanged] });
    const { stdout } = await run("users", "get", "--reference", "e-04", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      name: "Juana Inés de la Cruz",
      title: "Poeta, monja",
      phone: "+52 33 1234 5678",
      birthday: "1648-11-12",
      unit: { name: "Guadalajara, Jalisco" },
      userTypes: [{ name: "Employee" }, { name: "Shift lead" }],
    });
  });

  it("import --strict imports nothing when a row is invalid", async () => {
    const results = file("strict.csv");
    const { code, stderr } = await run("users", "import", bad, "--strict", "--results", results);
    expect(code).toBe(3);
    expect(stderr.slice(-3)).toEqual([
      "created 0, changed 0, unchanged 0, skipped 19",
      "error: 14 of 19 rows are invalid; nothing was imported (--strict).",
      lastOfBad[1],
    ]);
    expect(readFileSync(results, "utf8")).toMatch(/^11,b-08,skipped,,$/m);
    expect((await run("users", "list", "--all", "-o", "csv", "--fields", "email")).stdout).not.toContain("good.last");
  });

  it("import skips invalid rows with line, column and reason, and a dry run reports the same", async () => {
    const { id } = JSON.parse((await run("users", "get", "--reference", "e-01", "--json")).stdout);
    const rehearsed = await run("users", "import", bad, "-n", "--results", file("rehearsed.csv"));
    expect(rehearsed.code).toBe(3);
    const carriedOut = await run("users", "import", bad, "--results", file("results.csv"));
    expect(carriedOut).toEqual({
      code: 3,
      stdout: "",
      stderr: [...issues.map((line) => line.replace("user ?", `user ${id}`)), summary(3, 2), ...lastOfBad],
    });
    expect(rehearsed.stderr).toEqual(carriedOut.stderr.toSpliced(-2, 0, "Dry run: nothing was changed."));
    const results = readFileSync(file("results.csv"), "utf8");
    expect(readFileSync(file("rehearsed.csv"), "utf8")).toBe(withoutIds(results));
    const again = await run("users", "import", bad);
    expect(again.stderr.slice(issues.length)).toEqual([summary(0, 5), ...lastOfBad]);
    const formula = await run("users", "get", "--reference", "b-08", "--json");
    expect(JSON.parse(formula.stdout)).toMatchObject({ first_name: "=SUM(A1)", title: "=1+1" });
    const broken = await run("users", "get", "--reference", "b-07", "--json");
    expect(JSON.parse(broken.stdout)).toMatchObject({ last_name: "Line break", title: 'said "hi"' });
  });

  it("users import joins the lines of cells with very many spaces in time that grows with their number", async () => {
    const cell = `a${" ".repeat(120_000)}b\nc`;
    const rows = Array.from({ length: 40 }, (_, at) => `s-${at},S,"${cell}",s${at}@example.com,NORTH`);
    writeFileSync(file("spaces.csv"), ["reference,first_name,last_name,email,unit", ...rows].join("\n"));
    const { code, stderr } = await run("users", "import", file("spaces.csv"), "--dry-run");
    expect({ code, stderr: stderr[0] }).toEqual({ code: 3, stderr: expect.stringContaining("last_name") });
  });

  it("import --results writes the result of every row as CSV or JSON lines", async () => {
    const lines = readFileSync(file("results.csv"), "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(20);
    expect(lines.slice(0, 3)).toEqual([
      "line,reference,action,id,errors",
      expect.stringMatching(/^2,e-01,unchanged,\d+,$/),
      "3,b-01,skipped,,unit must not be blank",
    ]);
    await run("users", "import", bad, "--results", file("results.ndjson"));
    const rows = readFileSync(file("results.ndjson"), "utf8").trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row)).slice(0, 2)).toEqual([
      { line: 2, reference: "e-01", action: "unchanged", id: expect.any(Number), errors: null },
      { line: 3, reference: "b-01", action: "skipped", id: null, errors: { unit: ["must not be blank"] } },
    ]);
  });
});

const summary = (created: number, unchanged: number) =>
  `created ${created}, changed 0, unchanged ${unchanged}, skipped 14`;
