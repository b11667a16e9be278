import { writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { usePlace } from "./places.ts";

const place = usePlace();
const run = async (...args: string[]) => {
  const { code, stderr } = await place().wcs(args);
  return { code, stderr: stderr.trimEnd().split("\n") };
};
beforeAll(async () => {
  expect(await run("units", "update", "1", "--reference", "root")).toMatchObject({ code: 0 });
});

it("users import --dry-run: a reference that a later batch clears is free for another user", async () => {
  const row = (reference: string, at: number, email = `many${at}@example.com`) =>
    `${reference},Many,No${at},${email},root`;
  const rows = [
    ...Array.from({ length: 2000 }, (_, at) => row(`many-${at}`, at)),
    row("", 6),
    row("many-6", 6, "another6@example.com"),
  ];
  const file = place().home.path("users.csv");
  writeFileSync(file, `reference,first_name,last_name,email,unit\n${rows.join("\n")}\n`);
  const summary = "created 2001, changed 1, unchanged 0, skipped 0";
  const rehearsed = await run("users", "import", file, "--dry-run");
  expect(rehearsed).toEqual({ code: 0, stderr: [summary, "Dry run: nothing was changed."] });
  expect(await run("users", "import", file)).toEqual({ code: 0, stderr: [summary] });
});

it("users import: users whose rows are sent together swap addresses; others are told to move the rows", async () => {
  const ids = await Promise.all(
    ["many-0", "many-1999"].map(async (reference) => {
      const { stdout } = await place().wcs(["users", "get", "--reference", reference, "--json"]);
      return JSON.parse(stdout).id;
    }),
  );
  const row = (reference: number, email: number) =>
    `many-${reference},Many,No${reference},many${email}@example.com,root`;
  const between = Array.from({ length: 1000 }, (_, at) => row(at + 10, at + 10));
  const [first, last] = [row(0, 1999), row(1999, 0)];
  const file = place().home.path("swap.csv");
  const write = (rows: string[]) =>
    writeFileSync(file, `reference,first_name,last_name,email,unit\n${rows.join("\n")}\n`);
  const dry = "Dry run: nothing was changed.";
  const both = async () => [await run("users", "import", file, "-n"), await run("users", "import", file)];

  write([first, ...between, last]);
  const refused = [
    `line 2, email: is taken by user ${ids[1]}`,
    `line 1003, email: is taken by user ${ids[0]}`,
    "created 0, changed 0, unchanged 1000, skipped 2",
    "error: 2 of 1002 rows were not imported.",
    "hint: If another row gives up the e-mail address that is taken, move both rows to the beginning of the file. To free the address of a user who has left, run wcs users update <id> --email <address>.",
  ];
  expect(await both()).toEqual([
    { code: 3, stderr: refused.toSpliced(3, 0, dry) },
    { code: 3, stderr: refused },
  ]);
  write([first, last, ...between]);
  const summary = "created 0, changed 2, unchanged 1000, skipped 0";
  expect(await both()).toEqual([
    { code: 0, stderr: [summary, dry] },
    { code: 0, stderr: [summary] },
  ]);
});

it("users import --dry-run: an address that an earlier batch gives up is free for another user", async () => {
  const row = (reference: string, email: string) => `${reference},Many,User,${email}@example.com,root`;
  const rows = [
    row("many-10", "moved10"),
    row("many-11", "moved11"),
    row("many-12", "moved12"),
    ...Array.from({ length: 1000 }, (_, at) => row(`between-${at}`, `between${at}`)),
    row("next-10", "MANY10"),
    row("next-10", "later10"),
    row("many-13", "many11"),
    row("", "many12"),
    ...Array.from({ length: 1000 }, (_, at) => row(`after-${at}`, `after${at}`)),
    // The holders after the first batch have given these up, too.
    row("last-10", "many10"),
    row("last-13", "many13"),
  ];
  const file = place().home.path("freed.csv");
  const write = (all: string[]) =>
    writeFileSync(file, `reference,first_name,last_name,email,unit\n${all.join("\n")}\n`);
  write([...rows, row("too-late", "many11")]);
  const refused = await run("users", "import", file, "--dry-run");
  expect([refused.code, refused.stderr[0]]).toEqual([3, "line 2011, email: is taken by line 1007"]);
  write(rows);
  const summary = "created 2004, changed 5, unchanged 0, skipped 0";
  const rehearsed = await run("users", "import", file, "--dry-run");
  expect(rehearsed).toEqual({ code: 0, stderr: [summary, "Dry run: nothing was changed."] });
  expect(await run("users", "import", file, "--strict")).toEqual({ code: 0, stderr: [summary] });
});

it.each([{ key: [] }, { key: ["--key", "email"] }])(
  "users import --dry-run: a reference that a known user loses is free, with $key",
  async ({ key }) => {
    const name = `lost${key.length}`;
    const row = (reference: string, email: string) => `${reference},Lost,User,${name}-${email}@example.com,root`;
    const file = place().home.path("lost.csv");
    const write = (...rows: string[]) =>
      writeFileSync(file, `reference,first_name,last_name,email,unit\n${rows.join("\n")}\n`);
    write(row(`${name}-1`, "one"), row(`${name}-2`, "two"), row(`${name}-3`, "three"));
    expect(await run("users", "import", file)).toMatchObject({ code: 0 });
    const between = (part: number) =>
      Array.from({ length: 1000 }, (_, at) => row(`${name}-${part}-${at}`, `between-${part}-${at}`));
    write(
      row("", "one"),
      row(`${name}-3`, "moved"),
      ...between(1),
      row(`${name}-1`, "another"),
      row(`${name}-1`, "another"),
      ...between(2),
      row(`${name}-1`, "another"),
      row(`${name}-2`, "three"),
    );
    const report = ["--output", "ndjson"];
    // Only dry runs show the fields that change.
    const withoutIds = (text: string) => text.replace(/"id":\d+/g, '"id":null').replace(/"changes":\[[^\]]*\],/g, "");
    const rehearsed = await place().wcs(["users", "import", file, "--dry-run", ...key, ...report]);
    const carriedOut = await place().wcs(["users", "import", file, ...key, ...report]);
    expect(withoutIds(rehearsed.stdout)).toBe(withoutIds(carriedOut.stdout));
    expect(carriedOut.stdout).toContain(`{"line":1004,"reference":"${name}-1","action":"created"`);
  },
);

it("units import --dry-run: a unit is too deep below those of an earlier batch", async () => {
  const wide = Array.from({ length: 450 }, (_, at) => `wide-${at},Wide,root`);
  const chain = Array.from({ length: 102 }, (_, at) => `chain-${at},Chain,${at === 0 ? "root" : `chain-${at - 1}`}`);
  const file = place().home.path("chain.csv");
  writeFileSync(file, `reference,name,parent\n${[...wide, ...chain].join("\n")}\n`);
  const issue = "line 552, parent: is too deep: the tree has at most 100 levels below the root";
  const rehearsed = await run("units", "import", file, "--dry-run");
  expect(rehearsed.stderr.slice(0, 2)).toEqual([
    `${issue} (also line 553)`,
    "created 550, changed 0, unchanged 0, skipped 2",
  ]);
  const strict = await run("units", "import", file, "--strict");
  expect([strict.code, ...strict.stderr.slice(-2)]).toEqual([
    3,
    "error: 2 of 552 rows are invalid; nothing was imported (--strict).",
    "hint: Correct these rows and import the file again.",
  ]);
  expect((await run("units", "import", file)).stderr.slice(0, 3)).toEqual([
    issue,
    "line 553, parent: is a unit that was not imported, or lies below this one: chain-100",
    "created 550, changed 0, unchanged 0, skipped 2",
  ]);
});

it("units import --dry-run: knows the moves of earlier batches, out of a branch and into it", async () => {
  const file = place().home.path("moves.csv");
  const wide = Array.from({ length: 500 }, (_, at) => `move-${at},Wide,`);
  const write = (...rows: string[]) =>
    writeFileSync(file, `reference,name,parent\n${[rows[0], ...wide, ...rows.slice(1)].join("\n")}\n`);
  write("north,North,", "north-1,North,north", "north-2,North,north-1", "south,South,", "south-1,South,south");
  expect(await run("units", "import", file)).toMatchObject({ code: 0 });

  write("north-1,North,", "north,North,north-2");
  const [summary, dry] = ["created 0, changed 2, unchanged 500, skipped 0", "Dry run: nothing was changed."];
  expect(await run("units", "import", file, "--dry-run")).toEqual({ code: 0, stderr: [summary, dry] });
  const { stdout } = await place().wcs(["units", "import", file, "--dry-run", "-o", "ndjson"]);
  const north = await place().wcs(["units", "get", "--reference", "north", "--json"]);
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ id: JSON.parse(north.stdout).id });
  expect(await run("units", "import", file, "--strict")).toEqual({ code: 0, stderr: [summary] });

  // south comes below north, the branch of which then would come below south-1.
  write("south,South,north", "north-1,North,south-1");
  const refused = [
    "line 503, parent: must not be the unit itself or a unit below it",
    "created 0, changed 1, unchanged 500, skipped 1",
  ];
  const rehearsed = await run("units", "import", file, "--dry-run");
  expect(rehearsed.stderr.slice(0, 2)).toEqual(refused);
  expect((await run("units", "import", file)).stderr.slice(0, 2)).toEqual(refused);
});

it("users import --dry-run: names no ID of a user whom an earlier row of the file would create", async () => {
  const file = place().home.path("twice.csv");
  const rows = ["t-1,Ann,One", "t-1,Ann,One", "t-1,Ann,Two", "t-2,Bob,One"];
  const text = rows.map((row) => `${row},twice@example.com,root\n`).join("");
  writeFileSync(file, `reference,first_name,last_name,email,unit\n${text}`);
  const { stdout } = await place().wcs(["users", "import", file, "--dry-run", "-o", "ndjson"]);
  const line = (at: number, reference: string, action: string, errors: object | null = null, changes?: object) =>
    JSON.stringify({ line: at, reference, action, id: null, changes, errors });
  expect(stdout.trimEnd().split("\n")).toEqual([
    line(2, "t-1", "created"),
    line(3, "t-1", "unchanged"),
    line(4, "t-1", "changed", null, [{ field: "last_name", before: "One", after: "Two" }]),
    line(5, "t-2", "skipped", { email: ["is taken by line 2"] }),
  ]);
});

it("users and units import --dry-run print the fields that change, as diff does", async () => {
  const { home, local, wcs } = place();
  const [people, places] = [home.path("people.csv"), home.path("places.csv")];
  const header = "reference,first_name,last_name,email,unit,title\n";
  writeFileSync(people, `${header}d-1,Dee,One,d1@example.com,root,Cook\nd-2,Dee,Two,d2@example.com,root,\n`);
  writeFileSync(places, "reference,name,parent\np-1,Bakery,\np-2,Shop,\n");
  expect(await run("users", "import", people)).toMatchObject({ code: 0 });
  expect(await run("units", "import", places)).toMatchObject({ code: 0 });
  const swapped =
    "d-1,Dee,Won,d2@example.com,p-1,\nd-2,Dee,Two,d1@example.com,root,\nd-3,Dee,New,d3@example.com,root,\n";
  writeFileSync(people, header + swapped);
  writeFileSync(places, "reference,name,parent\np-1,Bakery,p-2\np-2,Shop,\n");
  const rehearsed = await wcs(["users", "import", people, "-n"]);
  expect(rehearsed).toMatchObject({
    code: 0,
    stdout: `${[
      "action\tkind\tname\tchanges",
      "update\tuser\td-1\tlast_name: One -> Won; title: Cook -> nothing; email: d1@example.com -> d2@example.com; unit: root -> p-1",
      "update\tuser\td-2\temail: d2@example.com -> d1@example.com",
    ].join("\n")}\n`,
    stderr: "created 1, changed 2, unchanged 0, skipped 0\nDry run: nothing was changed.\n",
  });
  const screen = { width: 80, height: 24 };
  const shown = await home.sit(["units", "import", places, "-n", ...local], { screen });
  expect(shown.stdout).toBe("~ update unit p-1\n    parent: root -> p-2\n");
  expect(JSON.parse((await wcs(["users", "import", people, "-n", "--json"])).stdout)).toMatchObject({ changed: 2 });
  expect(await wcs(["users", "import", people])).toMatchObject({ code: 0, stdout: "" });
});
