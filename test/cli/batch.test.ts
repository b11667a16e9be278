import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { describePlaces } from "./places.ts";
import { bin, useHome } from "./support.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describePlaces("batch", (place) => {
  const file = (name: string, text: string) => {
    writeFileSync(place().home.path(name), text);
    return place().home.path(name);
  };
  const batch = (path: string, flags: string[], ...command: string[]) =>
    place().home.wcs(["batch", path, ...place().args, ...flags, "--", ...command], { env: place().env });
  const title = async (id: number) => JSON.parse((await place().wcs(["users", "get", `${id}`, "--json"])).stdout).title;

  beforeAll(async () => {
    for (const name of ["Bob", "Cy"]) {
      const email = `${name.toLowerCase()}@example.com`;
      const who = ["--first-name", name, "--last-name", "Doe", "--email", email, "--unit", "1"];
      const made = await place().wcs(["users", "create", ...who]);
      if (made.code !== 0) throw new Error(made.stderr);
    }
  });

  it("runs the command for every row, reports those that fail, and ends with 3", async () => {
    const rows = file("titles.csv", 'id,title\n2,"Head, of Sales"\n999,Nobody\n3,\n');
    const { code, stdout, stderr } = await batch(
      rows,
      ["-o", "ndjson"],
      "users",
      "update",
      "{id}",
      "--title",
      "{title}",
    );
    expect(code, stderr).toBe(3);
    expect(lines(stdout)).toMatchObject([
      { line: 2, result: "done", exit: 0, error: null, output: { id: 2, title: "Head, of Sales" } },
      { line: 3, result: "failed", exit: 6, output: null, error: expect.stringContaining("999") },
      { line: 4, result: "done", exit: 0, output: { id: 3 } },
    ]);
    expect(stderr).toContain("done 2, failed 1, skipped 0");
    expect(stderr).toContain("1 of 3 rows failed.");
    expect(await title(2)).toBe("Head, of Sales");
  });

  it("--dry-run changes nothing, names work in rows, several rows run at a time", async () => {
    const rows = file("mails.ndjson", '{"who":"bob@example.com","title":"X"}\n{"who":"cy doe","title":"Y"}\n');
    const command = ["users", "update", "{who}", "--title={title}"];
    const dry = await batch(rows, ["--dry-run"], ...command);
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining("Dry run: nothing was changed.") });
    expect(await title(2)).toBe("Head, of Sales");
    expect(await batch(rows, ["--concurrency", "4"], ...command)).toMatchObject({ code: 0 });
    expect([await title(2), await title(3)]).toEqual(["X", "Y"]);
  });

  it("--results keeps what is done, and the next run does the rest", async () => {
    const results = place().home.path("done.ndjson");
    const rows = file("units.csv", "name,parent\nNorth,1\nSouth,999\n");
    const command = ["units", "create", "--name", "{name}", "--parent", "{parent}"];
    expect((await batch(rows, ["--results", results], ...command)).code).toBe(3);
    expect(lines(readFileSync(results, "utf8")).map(({ result }) => result)).toEqual(["done", "failed"]);
    appendFileSync(results, '{"line":4,"comm');
    file("units.csv", "name,parent\nSouth,1\nNorth,1\n");
    const again = await batch(rows, ["--results", results, "-o", "ndjson"], ...command);
    expect(again.code, again.stderr).toBe(0);
    expect(lines(again.stdout)).toMatchObject([{ result: "done" }, { result: "skipped", output: null }]);
    const names = JSON.parse((await place().wcs(["units", "list", "--json"])).stdout);
    expect(names.map(({ name }: { name: string }) => name).toSorted()).toEqual(["Acme", "North", "South"]);
  });
});

describe("batch", () => {
  const home = useHome();
  const run = (text: string, flags: string[], ...command: string[]) => {
    writeFileSync(home().path("rows.csv"), text);
    return home().wcs(["batch", home().path("rows.csv"), ...flags, "--", ...command]);
  };

  it("refuses a line that cannot work before the first row", async () => {
    const wrong: [string[], number, string][] = [
      [["users", "updat", "{id}"], 2, "Did you mean 'wcs users update'"],
      [["users"], 2, "is not a command"],
      [["users", "get", "{id}", "--db", "x"], 2, "--db belongs before --"],
      [["users", "get", "{ids}"], 3, "missing column ids"],
    ];
    for (const [command, code, text] of wrong)
      expect(await run("id\n1\n", [], ...command), text).toMatchObject({ code, stderr: expect.stringContaining(text) });
    expect((await run("id\n1\n", ["--concurrency", "99"], "users", "get", "{id}")).code).toBe(2);
    expect((await run("id,id\n1,2\n", [], "users", "get", "{id}")).stderr).toContain("duplicate column id");
  });

  it("a value is neither a flag nor the name of a file", async () => {
    const { code, stdout } = await run(
      "id,title\n--help,A\n1,@/etc/hostname\n1,@@home\n",
      ["-o", "ndjson"],
      "users",
      "update",
      "{id}",
      "--title",
      "{title}",
    );
    expect(code).toBe(3);
    expect(lines(stdout)).toMatchObject([
      { error: expect.stringContaining("'--help' would be read as a flag") },
      { error: expect.stringContaining("would be read as the name of a file") },
      { output: { title: "@home" } },
    ]);
  });

  it("Ctrl-C stops it, and the results tell what is done", async () => {
    const results = home().path("stopped.ndjson");
    writeFileSync(home().path("many.csv"), `n\n${Array.from({ length: 20_000 }, (_, n) => n).join("\n")}\n`);
    const args = [
      "batch",
      home().path("many.csv"),
      "--results",
      results,
      "--",
      "units",
      "update",
      "2",
      "--name",
      "Unit {n}",
    ];
    const child = spawn(process.execPath, [bin, ...args], { env: home().env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk) => (said += chunk));
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    expect(code, said).toBe(130);
    expect(said).toContain("the other rows did not run");
    const done = lines(readFileSync(results, "utf8"));
    expect(done.every(({ result }) => result === "done")).toBe(true);
    const { name } = JSON.parse((await home().wcs(["units", "get", "2", "--json"])).stdout);
    expect(name).toBe(`Unit ${done.length - 1}`);
  });
});
