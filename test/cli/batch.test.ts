import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { describePlaces } from "./places.ts";
import { bin, useHome } from "./support.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** The results in the file of --results, without the lines of rows that began. */
const resultsIn = (path: string) => lines(readFileSync(path, "utf8")).filter(({ result }) => result !== "started");

describePlaces("batch", (place) => {
  const file = (name: string, text: string) => {
    writeFileSync(place().home.path(name), text);
    return place().home.path(name);
  };
  const batch = (path: string, flags: string[], ...command: string[]) =>
    place().home.wcs(["batch", path, ...place().args, ...flags, "--", ...command], { env: place().env });
  const retitle = ["users", "update", "{id}", "--title", "{title}"];
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
    const { code, stdout, stderr } = await batch(rows, ["-o", "ndjson"], ...retitle);
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

  it("a row that is nested too deep fails, and the others are done", async () => {
    const deep = `{"id":2,"title":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
    const rows = file("deep.ndjson", `${deep}\n{"id":3,"title":"Clerk"}\n`);
    const { code, stdout } = await batch(rows, ["-o", "ndjson"], ...retitle);
    expect(code).toBe(3);
    expect(lines(stdout)).toMatchObject([
      { line: 1, result: "failed", exit: 3, error: "The row is nested deeper than 64 levels." },
      { line: 2, result: "done", exit: 0 },
    ]);
  });

  it("unknown fields for the results are refused before any row runs", async () => {
    const rows = file("fields.csv", "id,title\n2,Unwanted\n");
    const command = ["users", "update", "{id}", "--title", "{title}"];
    for (const flags of [
      ["--fields", "line,id"],
      ["-t", "{line} {id}"],
    ]) {
      const { code, stdout, stderr } = await batch(rows, flags, ...command);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("unknown field 'id'")]);
    }
    expect(await title(2)).not.toBe("Unwanted");
  });

  it("--dry-run of a command that has none is refused before any row runs", async () => {
    const rows = file("ids.csv", "id\n2\n3\n");
    for (const command of ["users get", "profile list", "auth 2fa enable"]) {
      const { code, stdout, stderr } = await batch(rows, ["-n"], ...command.split(" "), "{id}");
      const refused = `error: wcs ${command} has no --dry-run.\nhint: Without -n, the batch runs it.\n`;
      expect([code, stdout, stderr]).toEqual([2, "", refused]);
    }
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
    expect(resultsIn(results).map(({ result }) => result)).toEqual(["done", "failed"]);
    appendFileSync(results, '{"line":4,"comm');
    file("units.csv", "name,parent\nSouth,1\nNorth,1\n");
    const before = readFileSync(results, "utf8");
    const dry = await batch(rows, ["--results", results, "-n", "-o", "ndjson"], ...command);
    expect(lines(dry.stdout)).toMatchObject([{ result: "done" }, { result: "skipped" }]);
    expect(readFileSync(results, "utf8"), "a dry run writes no results").toBe(before);
    const again = await batch(rows, ["--results", results, "-o", "ndjson"], ...command);
    expect(again.code, again.stderr).toBe(0);
    expect(lines(again.stdout)).toMatchObject([{ result: "done" }, { result: "skipped", output: null }]);
    const names = JSON.parse((await place().wcs(["units", "list", "--json"])).stdout);
    expect(names.map(({ name }: { name: string }) => name).toSorted()).toEqual(["Acme", "North", "South"]);
  });

  it("--results: a row that was executed, but not recorded, is not executed again", async () => {
    const results = place().home.path("lost.ndjson");
    const rows = file("more.csv", "name\nEast\nWest\nEast\n");
    const flags = ["--results", results, "--concurrency", "3", "-o", "ndjson"];
    const command = ["units", "create", "--name", "{name}", "--parent", "1"];
    const raw = ["api", "POST", "/units", "-f", "name=api {name}", "-f", "parent=1"];
    for (const each of [command, raw]) {
      const first = await batch(rows, flags, ...each);
      expect(first.code, first.stdout).toBe(0);
      // As a process leaves it that is killed.
      writeFileSync(results, readFileSync(results, "utf8").replace(/^.*"result":"done".*\n/gm, ""));
      const again = await batch(rows, flags, ...each);
      expect(again.code, again.stderr).toBe(0);
      const ids = [first, again].map(({ stdout }) => lines(stdout).map(({ output }) => output.id));
      expect(new Set(ids[1])).toEqual(new Set(ids[0]));
    }
    const third = await batch(rows, flags, ...raw);
    expect(lines(third.stdout).map(({ result }) => result)).toEqual(["skipped", "skipped", "skipped"]);
  });
});

describe("batch", () => {
  const home = useHome();
  const run = (text: string, flags: string[], ...command: string[]) => {
    writeFileSync(home().path("rows.csv"), text);
    return home().wcs(["batch", home().path("rows.csv"), ...flags, "--", ...command]);
  };

  const ndjson = (rows: object[]) => {
    writeFileSync(home().path("rows.ndjson"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return home().path("rows.ndjson");
  };

  it("the command may be an alias, and is written without wcs", async () => {
    await home().wcs(["alias", "set", "look", "users get"]);
    const rows = "id\n1\n";
    expect((await run(rows, ["-o", "ndjson"], "look", "{id}")).stdout).toContain('"result":"done"');
    expect((await run(rows, [], "wcs", "users", "get", "{id}")).stderr).toContain("Write the command without wcs.");
  });

  it("refuses a line that cannot work before the first row", async () => {
    const wrong: [string[], number, string][] = [
      [["users", "updat", "{id}"], 2, "Did you mean 'wcs users update'"],
      [["users"], 2, "is not a command"],
      [["users", "get", "{id}", "--db", "x"], 2, "--db belongs before --"],
      [["users", "get", "{ids}"], 3, "missing column ids"],
      [["db", "backup", "{id}.bak"], 2, "wcs db cannot run in a batch.\nhint: It does not use the connection"],
      [["serve"], 2, "wcs serve cannot run in a batch."],
      [
        ["users", "delete", "{id}"],
        2,
        "wcs users delete needs a confirmation.\nhint: Add --yes to confirm it for each row.",
      ],
      [["webhooks", "deliver"], 2, "wcs webhooks deliver cannot run in a batch."],
    ];
    for (const [command, code, text] of wrong)
      expect(await run("id\n1\n", [], ...command), text).toMatchObject({ code, stderr: expect.stringContaining(text) });
    expect((await run("id\n1\n", ["--concurrency", "17"], "users", "get", "{id}")).code).toBe(2);
    for (const json of ['[{"id":1},{"id":2}]', '{"id":1}\n', "[\n  {"])
      expect((await run(json, [], "users", "get", "{id}")).stderr).toContain("pass --format ndjson");
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

  it("a cell stays one value in JSON, and cannot add fields", async () => {
    const title = 'x\\","meta_field_1":"y';
    const rows = ndjson([
      { title, level: '1,"meta_field_1":"y"' },
      { title: "{level} = b", level: "" },
    ]);
    const batch = async (...words: string[]) =>
      lines((await home().wcs(["batch", rows, "-o", "ndjson", "--", ...words])).stdout);
    const data = '{"meta_field_0":"kept","title":"The {title}"}';
    for (const words of [["--data", data], [`--data=${data}`]])
      expect(await batch("users", "update", "1", ...words)).toMatchObject([
        { output: { title: `The ${title}`, meta_field_0: "kept", meta_field_1: "" } },
        { output: { title: "The {level} = b" } },
      ]);
    expect(await batch("users", "update", "1", "--data", '{"title":{level}}')).toMatchObject([
      { error: `the value '1,"meta_field_1":"y"' of {level} is not JSON; write "{level}" for a text` },
      { error: `the value '' of {level} is not JSON; write "{level}" for a text` },
    ]);
    const contact = 'contact={"name":"{title}"}';
    expect(await batch("api", "PATCH", "/units/1", "-f", contact)).toMatchObject([
      { output: { contact: { name: title } } },
      { output: { contact: { name: "{level} = b" } } },
    ]);
  });

  it("a cell may be all of the JSON, and brackets alone are none", async () => {
    const rows = ndjson([{ fields: { title: "A", meta_field_0: "B" }, name: "C" }]);
    const batch = async (...words: string[]) =>
      lines((await home().wcs(["batch", rows, "-o", "ndjson", "--", "users", "update", "1", ...words])).stdout);
    expect(await batch("--data", "{fields}")).toMatchObject([{ output: { title: "A", meta_field_0: "B" } }]);
    expect(await batch("--title", "[{name}]")).toMatchObject([{ output: { title: "[C]" } }]);
  });

  it("a cell is the name of a file in no place, and never reads stdin", async () => {
    const secret = home().path("secret.txt");
    writeFileSync(secret, "a secret");
    const cells = `t,pair,n\n@${secret},title=@${secret},\n`;
    for (const words of [["-f", "title={t}"], ["-f", "{pair}"], ["-f", "title={n}{t}"], ["-ftitle={t}"]]) {
      const { stdout } = await run(cells, ["-o", "ndjson"], "api", "PATCH", "/users/1", ...words);
      const [{ error }] = lines(stdout);
      expect(error, words.join(" ")).toContain("would be read as the name of a file");
      expect(stdout).not.toContain("a secret");
    }
    const inText = ["users", "update", "1", "--title", "{t}", "--meta-field-0", "Team a=b@{team}"];
    const [{ error }] = lines((await run(`t,team\n@${secret},${secret}\n`, ["-o", "ndjson"], ...inText)).stdout);
    expect(error).toContain("would be read as the name of a file");
    const named = await run(`f\n${secret}\n`, ["-o", "ndjson"], "api", "PATCH", "/users/1", "-f", "title=@{f}");
    expect(lines(named.stdout)).toMatchObject([{ result: "done", output: { title: "a secret" } }]);
    const uploads = ["posts", "create", "--content-type", "debate", "--title", "A", "--file", "{f}"];
    const piped = await home().wcs(["batch", "-", "-o", "ndjson", "--", ...uploads], {
      stdin: "f\n-\nmore of the rows\n",
    });
    expect(lines(piped.stdout)[0]).toMatchObject({
      result: "failed",
      error: expect.stringContaining("cannot read stdin"),
    });
  });

  it("the first row for which the service is unavailable stops the batch", async () => {
    writeFileSync(home().path("rows.csv"), "n\none\ntwo\n");
    const words = ["--", "api", "GET", "/units/{n}"];
    const place = ["--url", "http://127.0.0.1:9", "--timeout", "1s"];
    const { code, stderr } = await home().wcs(["batch", home().path("rows.csv"), ...place, ...words]);
    expect(code).toBe(8);
    expect(stderr).toContain("Stopped at line 2: ");
  });

  it("a row for which the instance fails is reported with exit 8, and the others still run", async () => {
    const server = createServer((request, response) => {
      const isBad = request.url?.includes("bad") === true;
      response.writeHead(isBad ? 500 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(isBad ? { error: { code: "internal", message: "It failed." } } : { id: 9 }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const place = ["--url", `http://127.0.0.1:${port}`, "-o", "ndjson", "--", "api", "GET", "/units/{n}"];
    const env = { WCS_TOKEN: "token" };
    const { code, stdout } = await home().wcs(["batch", "-", ...place], { stdin: "n\nbad\ngood\n", env });
    server.close();
    expect(code).toBe(3);
    expect(lines(stdout)).toMatchObject([
      { result: "failed", exit: 8, error: "It failed." },
      { result: "done", exit: 0 },
    ]);
  });

  it("the results tell what is done of the rows that run when a row stops the batch", async () => {
    const results = home().path("lost.ndjson");
    // Answers the others only after the row that stops the batch.
    const held: ServerResponse[] = [];
    const server = createServer(async (request, response) => {
      response.setHeader("content-type", "application/json");
      if (!(await text(request)).includes("bad")) return held.push(response);
      response.statusCode = 401;
      response.on("close", () => setImmediate(() => held.map((each) => each.end('{"id":9}'))));
      return response.end(JSON.stringify({ error: { code: "unauthenticated", message: "Gone." } }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    writeFileSync(home().path("rows.csv"), "n\none\ntwo\nbad\n");
    const words = ["--", "api", "POST", "/units", "-f", "name={n}"];
    const place = ["--url", `http://127.0.0.1:${port}`, "--concurrency", "3", "--results", results];
    const env = { WCS_TOKEN: "token" };
    const { code, stderr } = await home().wcs(["batch", home().path("rows.csv"), ...place, ...words], { env });
    server.close();
    expect(code, stderr).toBe(4);
    const done = lines(readFileSync(results, "utf8")).filter(({ result }) => result === "done");
    expect(done.map(({ line }) => line).sort()).toEqual([2, 3]);
  });

  it("Ctrl-C stops it, and the results tell what is done", async () => {
    const results = home().path("stopped.ndjson");
    writeFileSync(home().path("many.csv"), `n\n${Array.from({ length: 20_000 }, (_, n) => n).join("\n")}\n`);
    const rename = ["units", "update", "2", "--name", "Unit {n}"];
    const args = ["batch", home().path("many.csv"), "--results", results, "--", ...rename];
    const child = spawn(process.execPath, [bin, ...args], { env: home().env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk) => (said += chunk));
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    expect(code, said).toBe(130);
    expect(said).toContain("the other rows did not run");
    const done = resultsIn(results);
    expect(done.filter(({ result }) => result !== "done")).toEqual([]);
    const { name } = JSON.parse((await home().wcs(["units", "get", "2", "--json"])).stdout);
    expect(name).toBe(`Unit ${done.length - 1}`);
  });

  // The last one, because init makes another profile the current one.
  it("results of another target do not count as done", async () => {
    const results = home().path("targets.ndjson");
    const databases = ["staging.db", "production.db"].map((name) => home().path(name));
    const [staging = "", production = ""] = databases;
    for (const database of databases) {
      const founder = ["--admin-email", "o@example.com", "--admin-name", "O P", "--root-unit", "Acme"];
      const made = await home().wcs(["init", "--db", database, ...founder]);
      expect(made.code, made.stderr).toBe(0);
    }
    writeFileSync(home().path("rows.csv"), "t\nChief\n");
    const words = ["--results", results, "-o", "ndjson", "--", "users", "update", "1", "--title", "{t}"];
    const at = async (database: string) => {
      const { stdout, stderr } = await home().wcs(["batch", home().path("rows.csv"), "--db", database, ...words]);
      return (
        lines(stdout)
          .map(({ result }) => result)
          .join() || stderr
      );
    };
    expect([await at(staging), await at(production)]).toEqual(["done", "done"]);
    expect([await at(staging), await at(production)]).toEqual(["skipped", "skipped"]);
  });
});
