import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();

describe("input", () => {
  it("takes lists, --no- flags, files, nested fields and --data, over which flags take precedence", async () => {
    const { sit } = home();
    const types = await Promise.all(
      ["One", "Two"].map((name) =>
        sit(["usertypes", "create", "--name", name, "--abilities-news", "--no-abilities-user", "--query", "id"]),
      ),
    );
    const ids = types.map(({ stdout }) => Number(stdout));
    const data = JSON.stringify({
      first_name: "Data",
      last_name: "Wins not",
      email: "data@example.com",
      unit: 1,
      settings: { show_birthdays: "unit" },
    });
    const made = await sit(
      [
        "users",
        "create",
        "--data",
        data,
        "--first-name",
        "Flag",
        "--settings-birthdays-optout",
        "--user-types",
        String(ids[0]),
        "--user-types",
        `${ids[1]}`,
        "--title",
        "-",
        "--json",
      ],
      { stdin: "From stdin\n" },
    );
    expect(JSON.parse(made.stdout)).toMatchObject({
      first_name: "Flag",
      title: "From stdin",
      settings: { show_birthdays: "unit", birthdays_optout: true },
      userTypes: [{ name: "One" }, { name: "Two" }],
    });
    const { id } = JSON.parse(made.stdout);
    expect((await sit(["users", "update", String(id), "--phone", "1", "--reference", "R-1"])).code).toBe(0);
    const cleared = JSON.parse(
      (await sit(["users", "update", String(id), "--unset", "phone,reference", "--json"])).stdout,
    );
    expect(cleared).toMatchObject({ reference: null });
    expect(cleared.phone ?? "").toBe("");
    expect((await sit(["users", "list", "--no-inactive", "--admin", "--no-header", "--fields", "id"])).stdout).toBe(
      "1\n",
    );
    for (const flag of ["--no-admin", "--admin=false"]) {
      expect((await sit(["users", "list", flag, "--no-header", "--fields", "id"])).stdout).toBe(`${id}\n`);
    }
    expect((await sit(["users", "create", "--title", "-", "--phone", "-"], { stdin: "x" })).stderr).toMatch(
      /only one of .* can read stdin/i,
    );
  });

  it("takes flags over --data from stdin, part by part, and clears fields of it", async () => {
    const { sit } = home();
    const { stdout: id } = await sit(["units", "create", "--name", "Piped", "--parent", "1", "--query", "id"]);
    const stdin = JSON.stringify({ contact: { name: "Ann", phone: "1" }, description: "Old", geo: { lat: 5, lng: 6 } });
    const flags = ["--contact-phone", "2", "--unset", "description", "--json"];
    const { stdout } = await sit(["units", "update", id.trim(), "--data", "-", ...flags], { stdin });
    expect(JSON.parse(stdout)).toMatchObject({ name: "Piped", contact: { name: "Ann", phone: "2" }, geo: { lat: 5 } });
    expect(JSON.parse(stdout).description ?? "").toBe("");
  });

  it("a time after another one follows that of --data from stdin", async () => {
    const create = (data: object) =>
      home().sit(["events", "create", "--data", "-", "--end", "+90m", "--dry-run", "--query", "dates[0].end"], {
        stdin: JSON.stringify({ title: "Piped", type: "user", ...data }),
      });
    expect((await create({ start: 1_800_000_000 })).stdout).toBe("1800005400\n");
    expect((await create({})).stderr).toBe("error: --end +90m is relative to --start: pass both.\n");
  });

  it("a date with its year is read in local forms, unless it could be two days", async () => {
    const { sit } = home();
    const born = async (day: string) => {
      const { code, stdout, stderr } = await sit(["users", "update", "1", "--birthday", day, "--json"]);
      return code === 0 ? JSON.parse(stdout).birthday : stderr;
    };
    expect(await born("29.2.1996")).toBe("1996-02-29");
    expect(await born("24/12/2001")).toBe("2001-12-24");
    expect(await born("3 May 1980")).toBe("1980-05-03");
    expect(await born(" 24.12.2001 ")).toBe("2001-12-24");
    for (const either of ["03/04/1999", "1.2.2020"])
      expect(JSON.parse(await born(either)).error).toMatchObject({
        message: `--birthday: '${either}' could be two days.`,
        hint: "Write YYYY-MM-DD.",
      });
    for (const wrong of ["30.2.1999", "24.12.", "yesterday", "1000d ago", "1000 days ago", "2000 days later"])
      expect(await born(wrong)).toContain("--birthday must be a date that exists, as YYYY-MM-DD.");
  });

  it("--unset clears whole objects", async () => {
    const { sit } = home();
    const place =
      "--geo-lat 55.7 --geo-lng 12.5 --addresses-company-city Aarhus --contact-name Ann --contact-phone 5".split(" ");
    const set = await sit(["units", "update", "2", ...place, "--json"]);
    expect(JSON.parse(set.stdout)).toMatchObject({
      geo: { lat: 55.7, lng: 12.5 },
      contact: { name: "Ann", phone: "5" },
      addresses: { company: { city: "Aarhus" } },
    });
    const cleared = await sit([
      "units",
      "update",
      "2",
      "--unset",
      "geo,addresses-company,contact,contact-name",
      "--json",
    ]);
    expect(JSON.parse(cleared.stdout)).toMatchObject({
      geo: { lat: null, lng: null },
      addresses: { company: null },
      contact: { name: null, phone: null },
    });
  });

  it("on a terminal is asked for when it is missing, and again when it is wrong", async () => {
    const { code, stderr, stdout } = await home().sit(
      ["users", "create", "--first-name", "Asked", "--query", "[last_name,email]", "--json"],
      { answers: ["Person", "nope", "asked@example.com", "acme", ""] },
    );
    expect({ code, found: JSON.parse(stdout) }).toEqual({ code: 0, found: ["Person", "asked@example.com"] });
    expect(stderr).toContain("> It must be an e-mail address");
    const ci = await home().sit(["users", "create"], { answers: ["x"], env: { CI: "true" } });
    expect(ci.code).toBe(2);
  });

  it("asks before a deletion, and names what is deleted", async () => {
    const { sit } = home();
    const { stdout: id } = await sit(["units", "create", "--name", "Doomed", "--parent", "1", "--query", "id"]);
    const kept = await sit(["units", "delete", id.trim()], { answers: ["n"] });
    expect(kept).toEqual({ code: 130, stdout: "", stderr: "? Delete unit Doomed?\nNothing was changed.\n" });
    await sit(["units", "department", "add", "Doomed", "Exports"]);
    const department = await sit(["units", "department", "remove", "Doomed", "Exports"], { answers: ["y"] });
    expect(department.stderr).toContain("Remove department Exports from unit Doomed?");
    await sit(["users", "membership", "add", "1", "Doomed"]);
    const member = await sit(["users", "membership", "remove", "1", "Doomed"], { answers: ["y"] });
    expect(member.stderr).toContain("Remove Ada Lovelace from unit Doomed?");
    const gone = await sit(["units", "delete", id.trim()], { answers: ["y"] });
    expect(gone).toEqual({ code: 0, stdout: "", stderr: `? Delete unit Doomed?\nDeleted unit ${id.trim()}.\n` });
  });

  it("with several profiles, the question begins with the target", async () => {
    const { sit, path } = home();
    const question = async (...target: string[]) => (await asked(target)).stderr.split("\n")[0];
    const asked = (target: string[], env?: Record<string, string>) =>
      sit(["users", "delete", "me", ...target], { answers: ["n"], ...(env && { env }) });
    const alone = (await question())?.replace("? ", "");
    const { name, target } = JSON.parse((await sit(["profile", "show", "--json"])).stdout);
    await sit(["profile", "add", "staging", target.startsWith("http") ? "--url" : "--db", target]);
    expect(await question()).toBe(`? [${name}] ${alone}`);
    if (!target.startsWith("http")) {
      expect(await question("--profile", "staging")).toBe(`? [staging] ${alone}`);
      expect(await question("--db", target)).toBe(`? [${target}] ${alone}`);
      writeFileSync(path("config.json"), "{");
      const broken = await asked(["--db", target], { WCS_CONFIG_DIR: path(".") });
      expect(broken.stderr).toContain(`? ${alone}`);
    }
    await sit(["profile", "remove", "staging"]);
  });

  it("asks about users and files by their names", async () => {
    const { sit, path } = home();
    const made = async (...line: string[]) => (await sit([...line, "--query", "id"])).stdout.trim();
    const question = async (...line: string[]) => (await sit(line, { answers: ["n"] })).stderr.split("\n")[0];
    const eve = ["--first-name", "Eve", "--last-name", "Adams", "--email", "eve@example.com", "--unit", "1"];
    const user = await made("users", "create", ...eve);
    writeFileSync(path("menu.txt"), "Soup");
    const menu = ["--title", "Menu", "--content-type", "news", "--visibility-all-units", "--file", path("menu.txt")];
    const post = await made("posts", "create", ...menu);
    const { files } = JSON.parse((await sit(["posts", "get", post, "--json"])).stdout) as { files: { id: number }[] };
    expect(await question("posts", "files", "delete", post, `${files[0]?.id}`)).toBe("? Delete file menu.txt of Menu?");
    expect(await question("posts", "comments", "delete", post, "7")).toBe("? Delete comment 7 on post Menu?");
    const group = await made("groups", "create", "--name", "Runners");
    expect(await question("groups", "member", "remove", group, user)).toBe(`? Remove Eve Adams from group ${group}?`);
    const runners = `group ${group} (Runners)`;
    expect(await question("groups", "member", "remove", "Runners", user)).toBe(`? Remove Eve Adams from ${runners}?`);
    expect(await question("groups", "image", "delete", "Runners")).toBe(`? Delete the image of ${runners}?`);
    await sit(["conversations", "send", "--to", user, "Hello"]);
    const talk = (await sit(["conversations", "list", "--query", "[0].id"])).stdout.trim();
    const participants = "of Ada Lovelace, Eve Adams";
    expect(await question("conversations", "participants", "remove", talk, user)).toBe(
      `? Remove Eve Adams from conversation ${participants}?`,
    );
    expect(await question("conversations", "delete", talk)).toBe(
      `? Delete conversation ${participants} for yourself, with all its messages?`,
    );
    expect((await sit(["users", "delete", user, "--yes"])).code).toBe(0);
  });

  it("users get takes several IDs, --reference and me", async () => {
    const { sit } = home();
    expect((await sit(["users", "get", "1,999", "1", "--no-header", "--fields", "id"])).stdout).toContain("1\n");
    expect((await sit(["users", "get", "me", "--query", "email"])).stdout).toBe("ada@example.com\n");
    expect((await sit(["users", "get", "1", "--query", "id", "--json"])).stdout).toBe("1\n");
    expect((await sit(["units", "get", "--reference", "SALES", "--query", "id"])).stdout).toBe("2\n");
    expect((await sit(["users", "search", "ada", "love", "--query", "[].id", "--json"])).stdout).toBe("[\n  1\n]\n");
  });
});

it("settings set reads the value from stdin with --value-stdin and with --value-file -", async () => {
  for (const [name, flags] of [
    ["One", ["--value-stdin"]],
    ["Two", ["--value-file", "-"]],
  ] as const) {
    const { code, stdout } = await home().sit(["settings", "set", "name", ...flags], { stdin: `${name}\n` });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(name) });
  }
});

it("text that is not UTF-8 is refused from stdin, a file and WCS_PASSWORD", async () => {
  const { sit, path } = home();
  const latin = Buffer.from("gar\u00e7on secret 1\n", "latin1");
  writeFileSync(path("latin.txt"), latin);
  writeFileSync(path("latin.json"), Buffer.from('{"name": "Fran\u00e7ais"}', "latin1"));
  const file = path("latin.txt");
  const lines: [string[], string][] = [
    [["users", "password", "1", "--password-stdin"], "--password-stdin: stdin"],
    [["users", "password", "1", "--password-file", file], `--password-file: ${file}`],
    [["units", "create", "--parent", "1", "--name", `@${file}`], `--name: ${file}`],
    [["units", "update", "2", "--data", "-"], "--data: stdin"],
    [["api", "POST", "/units", "--input", path("latin.json")], `--input: ${path("latin.json")}`],
    [["api", "PATCH", "/units/1", "-f", "name=-"], "-f name: stdin"],
    [["settings", "set", "mail.from", "--value-stdin"], "--value-stdin: stdin"],
    [["serve", "--config", file], `--config: ${file}`],
  ];
  for (const [line, name] of lines) {
    const { code, stderr } = await sit(line, { stdin: latin });
    expect({ line, code, stderr }).toMatchObject({
      line,
      code: 2,
      stderr: expect.stringContaining(`error: ${name} is not encoded in UTF-8.`),
    });
    expect(stderr).toContain("hint: Convert it to UTF-8 first.");
  }
  const replaced = await sit(["users", "password", "1"], { env: { WCS_PASSWORD: "gar\ufffdon secret 1" } });
  expect(replaced).toMatchObject({ code: 2, stderr: expect.stringMatching(/WCS_PASSWORD is not encoded in UTF-8/) });
  // U+FFFD in the file itself is a valid character.
  const own = await sit(["users", "password", "1", "--password-stdin"], { stdin: "gar\ufffdon secret 1" });
  expect(own).toMatchObject({ code: 0 });
});

it("an empty file or stdin, as after a command that failed, sets no value", async () => {
  const { sit, path } = home();
  const file = path("empty.txt");
  writeFileSync(file, "\n");
  const lines: [string[], string][] = [
    [["settings", "set", "mail.smtp_url", "-"], "<value>: stdin is empty"],
    [["settings", "set", "name", "--value-stdin"], "--value-stdin: stdin is empty"],
    [["settings", "set", "name", "--value-file", file], `--value-file: ${file} is empty`],
    [["units", "update", "2", "--description", "-"], "--description: stdin is empty"],
    [["units", "update", "2", "--description", `@${file}`], `--description: ${file} is empty`],
    [["api", "PATCH", "/units/2", "-f", "description=-"], "-f description: stdin is empty"],
    [["users", "password", "1", "--password-file", file], `--password-file: ${file} is empty`],
    [["conversations", "send", "--to", "1", "--file", file, "-"], "<text>: stdin is empty"],
  ];
  for (const [line, message] of lines) {
    const { code, stderr } = await sit(line, { stdin: "" });
    expect({ line, code, stderr }).toMatchObject({ line, code: 2, stderr: expect.stringContaining(`${message}.`) });
  }
  const setting = await sit(["settings", "set", "name", "-"], { stdin: "" });
  expect(setting.stderr).toContain("hint: Use --default to restore the default.");
  const text = await sit(["units", "update", "2", "--description", "-"], { stdin: "" });
  expect(text.stderr).toContain("hint: To clear it, pass --description ''.");
  expect(await sit(["units", "update", "2", "--description", ""])).toMatchObject({ code: 0 });
});

it("a byte order mark, which Windows editors write, is removed from texts and JSON of stdin and files", async () => {
  const { sit, path } = home();
  writeFileSync(path("marked.json"), '\ufeff{"name": "From JSON"}');
  writeFileSync(path("marked.txt"), "\ufeffFrom a file\r\n");
  const create = ["units", "create", "--parent", "1", "--query", "name", "--json"];
  const lines: [string[], string, string?][] = [
    [["--data", `@${path("marked.json")}`], "From JSON"],
    [["--name", `@${path("marked.txt")}`], "From a file"],
    [["--name", "-"], "From stdin", "\ufeffFrom stdin"],
  ];
  for (const [line, name, stdin] of lines) {
    const { code, stdout } = await sit([...create, ...line], stdin === undefined ? {} : { stdin });
    expect({ line, code, stdout }).toEqual({ line, code: 0, stdout: `${JSON.stringify(name)}\n` });
  }
});
