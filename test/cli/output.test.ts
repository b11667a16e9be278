import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { changeDirectly } from "../support/direct.ts";
import { finished, start, useHome } from "./support.ts";

const home = useHome();
const screen = { width: 60, height: 24 };

describe("output for programs", () => {
  it("rows are separated by tabs, below a line of names", async () => {
    const { stdout, stderr, code } = await home().wcs(["units", "list", "--fields", "id,name,parent.name"]);
    expect(stdout).toBe("id\tname\tparent.name\n1\tAcme\t\n2\tSales\tAcme\n");
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  });

  it("--no-header omits the names", async () => {
    const { stdout } = await home().wcs(["units", "list", "--fields", "id,name", "--no-header"]);
    expect(stdout).toBe("1\tAcme\n2\tSales\n");
  });

  it("a single item has a row per field, and times with their offset", async () => {
    const { stdout } = await home().wcs(["units", "get", "2", "--tz", "Europe/Copenhagen"]);
    expect(stdout).toMatch(/^id\t2$/m);
    expect(stdout).toMatch(/^parent\tAcme$/m);
    expect(stdout).toMatch(/^created_at\t\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/m);
  });

  it("JSON: a list is an array, a single item an object, times are Unix seconds", async () => {
    const list = JSON.parse((await home().wcs(["units", "list", "--json"])).stdout);
    expect(list.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    const one = JSON.parse((await home().wcs(["units", "get", "2", "-o", "json"])).stdout);
    expect(one).toEqual(list[1] && { ...list[1], children: [] });
    expect(one.created_at).toBeTypeOf("number");
  });

  it("JSON of an empty list is an empty array", async () => {
    expect((await home().wcs(["usertypes", "list", "--json"])).stdout).toBe("[]\n");
    expect((await home().wcs(["usertypes", "list", "--json", "--all"])).stdout).toBe("[]\n");
    expect((await home().wcs(["usertypes", "list", "-o", "yaml"])).stdout).toBe("[]\n");
    expect((await home().wcs(["usertypes", "list", "-o", "ndjson"])).stdout).toBe("");
    expect((await home().wcs(["usertypes", "list", "-o", "csv"])).stdout).toBe("id,name,reference,abilities\n");
    expect((await home().wcs(["usertypes", "list"])).stdout).toBe("id\tname\treference\tabilities\n");
  });

  it("CSV: a list whose first item begins like a formula is escaped", async () => {
    for (const name of ["=1+1", "+2"]) await home().wcs(["units", "department", "add", "2", name]);
    const { stdout, stderr } = await home().wcs(["units", "get", "2", "-o", "csv", "--fields", "departments"]);
    expect({ stdout, stderr }).toEqual({ stdout: "departments\n'=1+1;+2\n", stderr: "" });
  });

  it("CSV of a single item has all its fields, or those of --fields", async () => {
    for (const line of [
      ["units", "get", "2"],
      ["users", "get", "me"],
      ["users", "current"],
    ]) {
      const fields = Object.keys(JSON.parse((await home().wcs([...line, "--json"])).stdout));
      const { stdout } = await home().wcs([...line, "-o", "csv"]);
      expect(stdout.split("\n")[0]).toBe(fields.join(","));
    }
    const { stdout } = await home().wcs(["units", "get", "2", "-o", "csv", "--fields", "id,name"]);
    expect(stdout).toBe("id,name\n2,Sales\n");
  });

  it("-o ndjson, csv and yaml print the items", async () => {
    const fields = ["--fields", "id,name,stats.users"];
    expect((await home().wcs(["units", "list", "-o", "ndjson", ...fields])).stdout).toBe(
      '{"id":1,"name":"Acme","stats":{"users":1}}\n{"id":2,"name":"Sales","stats":{"users":0}}\n',
    );
    expect((await home().wcs(["units", "list", "-o", "csv", ...fields])).stdout).toBe(
      "id,name,stats.users\n1,Acme,1\n2,Sales,0\n",
    );
    expect((await home().wcs(["units", "list", "-o", "csv", "--no-header", ...fields])).stdout).toBe(
      "1,Acme,1\n2,Sales,0\n",
    );
    expect(parseYaml((await home().wcs(["units", "list", "-o", "yaml", ...fields])).stdout)).toEqual([
      { id: 1, name: "Acme", stats: { users: 1 } },
      { id: 2, name: "Sales", stats: { users: 0 } },
    ]);
  });

  it("--query filters the items", async () => {
    const query = async (...args: string[]) => (await home().wcs(["units", "list", ...args])).stdout;
    expect(await query("--query", "[].name")).toBe("Acme\nSales\n");
    expect(await query("--query", "[?id==`2`].{a:id,b:name}")).toBe("a\tb\n2\tSales\n");
    expect(await query("--query", "length(@)", "--json")).toBe("2\n");
    expect(await query("--query", "[].name", "-o", "ndjson")).toBe('"Acme"\n"Sales"\n');
    expect(await query("--query", "[0]", "--fields", "id", "--json")).toBe('{\n  "id": 1\n}\n');
    expect(await query("--query", "[?level==`1`]", "--fields", "id,name")).toBe("id\tname\n2\tSales\n");
    expect(await query("--query", "[].name", "--fields", "id")).toBe("Acme\nSales\n");
    expect(await query("--query", "[].{a:id,b:name}", "--fields", "b")).toBe("b\nAcme\nSales\n");
    expect(await home().wcs(["units", "list", "--query", "[].{a:id}", "--fields", "id"])).toMatchObject({
      code: 2,
      stderr: "error: --fields: unknown field 'id'.\nhint: Available fields: a.\n",
    });
    expect(await query("--query", "nothing", "--json")).toBe("null\n");
    const seat = { screen: { width: 80, height: 24 } };
    const { stderr } = await home().sit(["units", "list", "--query", "Sales"], seat);
    expect(stderr).toBe("The JMESPath expression of --query selects nothing.\n");
  });

  it.each(["table", "rows"])(
    "--query with objects without fields prints an empty line for each (%s)",
    async (format) => {
      const flags = format === "rows" ? [] : ["-o", format];
      const result = await home().wcs(["units", "list", "--query", "[?id==`1`].missing || `[{}, {}]`", ...flags]);
      expect(result).toMatchObject({ code: 0, stdout: "\n\n", stderr: "" });
    },
  );

  it("--raw prints the body of the response", async () => {
    const body = JSON.parse((await home().wcs(["units", "list", "--raw"])).stdout);
    expect(Object.keys(body)).toEqual(["data", "meta"]);
  });

  it("an unknown field is a usage error, not an empty column", async () => {
    const { code, stderr, stdout } = await home().wcs(["users", "list", "--fields", "id,unit.nmae"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe("error: --fields: unknown field 'unit.nmae'.\nhint: Did you mean 'unit.name'?\n");
  });

  it("formats that cannot be used together, zones and queries that do not exist: exit 2", async () => {
    expect((await home().wcs(["units", "list", "--json", "-o", "csv"])).code).toBe(2);
    expect((await home().wcs(["units", "list", "-o", "xml"])).code).toBe(2);
    expect((await home().wcs(["units", "list", "--query", "[["])).code).toBe(2);
    for (const query of ["sizes(@)", "map(&sizes(@), @)", "{a: sizes(@)}", "[?sizes(name)]"]) {
      const create = ["units", "create", "--name", "Half done", "--parent", "1"];
      const { code, stderr } = await home().wcs([...create, "--query", query]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^error: --query: there is no function sizes\(\)\./),
      });
    }
    expect((await home().wcs(["units", "list", "--search", "Half done", "--query", "[].name"])).stdout).toBe("");
    expect((await home().wcs(["units", "list", "--tz", "Mars/Olympus"])).code).toBe(2);
    expect((await home().wcs(["units", "list", "--raw", "--all"])).code).toBe(2);
  });
});

describe("long lists", () => {
  it("--limit bounds the total over pages, --all takes all of them", async () => {
    const { sit } = home();
    const rows = Array.from({ length: 60 }, (_, number) => `b-${number},Branch ${number},SALES\n`);
    const made = await sit(["units", "import", "-"], { stdin: `reference,name,parent\n${rows.join("")}` });
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("created 60,") });
    const count = ({ stdout }: { stdout: string }) => stdout.split("\n").length - 1;
    const list = (...args: string[]) => sit(["units", "list", "--no-header", ...args]);
    const lines = async (...args: string[]) => count(await list(...args));
    const onScreen = await sit(["units", "list", "--no-header"], { screen: { width: 100, height: 100 } });
    expect(onScreen.stderr).toBe("Showing the first 50. Use --all or --limit N for more.\n");
    expect(count(onScreen)).toBe(50);
    // Scripts get the whole list, and a note when a limit cuts it.
    expect({ ...(await list()), stdout: await lines() }).toEqual({ code: 0, stderr: "", stdout: 62 });
    expect((await list("--limit", "3")).stderr).toBe("Showing the first 3. Use a higher --limit for more.\n");
    expect((await list("--limit", "3", "-q")).stderr).toBe("");
    expect((await sit(["units", "list", "-o", "csv", "--no-header"], { screen })).stdout.split("\n")).toHaveLength(63);
    expect(await lines("--limit", "55")).toBe(55);
    expect(await lines("--limit", "3")).toBe(3);
    expect(await lines("--all")).toBe(62);
    expect(await lines("--all", "--limit", "61")).toBe(61);
    expect((await sit(["units", "list", "--limit", "0"])).code).toBe(2);
    const json = JSON.parse((await sit(["units", "list", "--all", "--json"])).stdout);
    expect(json).toHaveLength(62);
  });

  it("a reader that closes the pipe, as head does, is no error", async () => {
    const child = start(["units", "list", "--all", "-o", "ndjson"], home().env);
    child.stdout?.destroy();
    const { code, stderr } = await finished(child, "");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { code: early } = await home().sit(["units", "list", "--all"], { readsUpTo: 0 });
    expect(early).toBe(0);
  });
});

describe("output for people", () => {
  it("a table is no wider than the screen", async () => {
    await home().sit(["units", "update", "2", "--name", `Sales ${"of a very long name ".repeat(5)}`]);
    const { stdout } = await home().sit(["units", "list", "--limit", "2"], { screen });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID {2}NAME +UNIT TYPE +PARENT +REFERENCE +USERS$/);
    expect(lines[2]).toContain("…");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(screen.width);
    await home().sit(["units", "update", "2", "--name", "Sales"]);
  });

  it("a table omits columns that are empty in every row, and never cuts a time, an ID or a state", async () => {
    const { sit } = home();
    const all = await sit(["audit", "list", "--limit", "5"], { screen: { width: 200, height: 50 } });
    expect(all.stdout).toMatch(/^CREATED AT +ACTOR +OPERATION +PATH +OUTCOME +FIELDS\n/);
    const narrow = await sit(["audit", "list", "--limit", "5"], { screen: { width: 60, height: 50 } });
    expect(narrow.stderr).toMatch(/Not shown at this width: .*fields\./);
    expect(narrow.stdout).toMatch(/^CREATED AT +ACTOR +OPERATION/);
    for (const line of narrow.stdout.trimEnd().split("\n").slice(1))
      expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d .* \w+\.\w+( +\/[\w/]+)?( +done)?$/);
    const chosen = await sit(["audit", "list", "--limit", "1", "--fields", "created_at,fields,outcome,address"], {
      screen,
    });
    expect(chosen.stdout).toMatch(/^CREATED AT +FIELDS +OUTCOME +ADDRESS\n/);
    const plain = await sit(["users", "list"], { screen: { width: 200, height: 50 } });
    expect(plain.stdout).toMatch(/^ID {2}NAME +UNIT +EMAIL +ACTIVE\n/);
  });

  it("wide characters take two columns", async () => {
    await home().sit(["units", "update", "2", "--name", "東京".repeat(20)]);
    const { stdout } = await home().sit(["units", "list", "--fields", "name,id", "--limit", "2"], {
      screen: { width: 21, height: 9 },
    });
    expect(stdout).toBe(`NAME               ID\nAcme               1\n${"東京".repeat(4)}…  2\n`);
    await home().sit(["units", "update", "2", "--name", "Sales"]);
  });

  it("reports an empty list, and a list that has more items", async () => {
    const none = await home().sit(["usertypes", "list"], { screen });
    expect(none).toEqual({ code: 0, stdout: "", stderr: "No user types.\n" });
    const some = await home().sit(["units", "list", "--limit", "2"], { screen });
    expect(some.stderr).toBe("Showing the first 2. Use a higher --limit for more.\n");
    const all = await home().sit(["units", "list", "--all"], { screen });
    expect(all.stderr).toBe("");
    for (const start of ["2100-01-01T10:00", "2100-01-02T10:00", "2100-01-03T10:00"]) {
      const end = start.replace("10:", "11:");
      const event = ["events", "create", "--title", "Talk", "--type", "chain", "--start", start, "--end", end];
      expect((await home().sit(event)).code).toBe(0);
    }
    const page = await home().sit(["events", "list", "--page", "2", "--limit", "1"], { screen });
    expect(page.stderr).toBe("Showing 1. Use a higher --limit for more.\n");
    const { stdout } = await home().sit(["units", "list", "--raw", "--limit", "1"]);
    const cursor = JSON.parse(stdout).meta.next_cursor;
    const further = await home().sit(["units", "list", "--cursor", cursor, "--limit", "1"], { screen });
    expect(further.stderr).toBe("Showing 1. Use a higher --limit for more.\n");
  });

  it("data cannot send control characters to the terminal", async () => {
    const evil = "Evil\u001b]0;title\u0007\u009b31m\u202e";
    const { stdout: id } = await home().sit(["units", "create", "--name", "Evil", "--parent", "1", "--query", "id"]);
    await changeDirectly(home().path("data/wcs/wcs.db"), (tx) =>
      tx.updateTable("units").set({ name: evil }).where("id", "=", Number(id)).execute(),
    );
    const formats = ["table", "json", "ndjson", "csv", "yaml"].map((format) => ["-o", format]);
    for (const flags of [...formats, ["--raw"], ["--query", "[].name || name"], ["--template", "{id} {name}"]]) {
      for (const command of [
        ["get", id.trim()],
        ["list", "--limit", "100"],
      ]) {
        const { stdout } = await home().sit(["units", ...command, ...flags], { screen });
        expect(stdout, `${flags} ${command[0]}`).toContain("Evil");
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the point
        expect(stdout, `${flags} ${command[0]}`).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
      }
    }
    const { stdout: json } = await home().sit(["units", "get", id.trim(), "--json"], { screen });
    expect(JSON.parse(json).name).toBe(evil);
    const { stdout: piped } = await home().wcs(["units", "get", id.trim(), "--json"]);
    expect(JSON.parse(piped).name).toBe(evil);
    const { stderr } = await home().sit(["units", "delete", id.trim()], { answers: ["y"], screen });
    expect(stderr).toContain("Delete unit Evil\\u001b]0;title");
  });

  it("draws the tree, siblings by name; with --raw it is the response", async () => {
    const tree = await home().sit(["units", "tree", "--depth", "1"], { screen });
    expect(tree.stdout).toBe("Acme (root, 1 user)\n└── Sales (SALES, 0 users)\n");
    await home().sit(["units", "create", "--name", "Archive", "--parent", "1"]);
    await home().sit(["units", "create", "--name", "Cellar", "--parent", "63"]);
    const raw = await home().sit(["units", "tree", "--depth", "1", "--raw"], { screen });
    expect(JSON.parse(raw.stdout).data[0].name).toBe("Acme");
    const { stdout } = await home().sit(["units", "tree"], { screen });
    expect(stdout).toMatch(/^Acme \(root, 1 user\)\n├── Archive \(ID \d+, 0 users\)\n/);
    const sales = "└── Sales (SALES, 0 users)\n    ├── Branch 0 (b-0, 0 users)\n    ├── Branch 1 (b-1, 0 users)\n";
    expect(stdout).toContain(`${sales}    ├── Branch 2 (b-2, 0 users)\n`);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("    └── Branch 59 (b-59, 0 users)");
  });
});

it("YAML quotes the words that readers of YAML 1.1 take for other values", async () => {
  const { sit } = home();
  const line = ["users", "create", "--first-name", "NO", "--last-name", "1:20", "--email", "no@example.com"];
  const made = await sit([...line, "--unit", "1", "--reference", "1_000", "--birthday", "1990-01-02", "--query", "id"]);
  const shown = ["get", made.stdout.trim(), "-o", "yaml"];
  for (const { stdout } of [await sit(["users", ...shown]), await sit(["export"])]) {
    for (const word of ["NO", "1:20", "1_000", "1990-01-02"]) expect(stdout).toContain(`: "${word}"\n`);
  }
  expect(await sit(["diff", "-"], { stdin: (await sit(["export"])).stdout })).toMatchObject({
    code: 0,
    stdout: "action\tkind\tname\tchanges\n",
  });
});

it("rows show times inside objects like other times", async () => {
  const { sit } = home();
  const times = ["--start", "2030-01-02T10:00:00Z", "--end", "2030-01-02T11:00:00Z"];
  const made = await sit(["events", "create", "--title", "T", "--type", "user", ...times, "--query", "id"]);
  const { stdout } = await sit(["events", "get", made.stdout.trim(), "--fields", "dates", "--no-header"]);
  expect(JSON.parse(stdout)).toEqual({ start: "2030-01-02T10:00:00+00:00", end: "2030-01-02T11:00:00+00:00" });
});
