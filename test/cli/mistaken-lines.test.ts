import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useHome } from "./support.ts";
import { hasTmux, openTmux } from "./tmux.ts";

const home = useHome();
const count = async (group: string) => JSON.parse((await home().sit([group, "list", "--json"])).stdout).length;

describe("a malformed --query", () => {
  it("is refused before anything is changed", async () => {
    const before = await count("usertypes");
    for (const query of [".name", "[", "a ="]) {
      const { code, stderr } = await home().sit(["usertypes", "create", "--name", "X", "--json", "--query", query]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --query: .*|^\{"error":/)]);
    }
    const raw = await home().sit(["api", "POST", "/usertypes", "-f", "name=X", "--query", "["]);
    expect(raw.code).toBe(2);
    expect(await count("usertypes")).toBe(before);
  });

  it.each([
    ["--query sum(name)", "--query: TypeError: sum() expected"],
    ["--query to_array(@)[?id>`0`].{key:secret} --fields secrt", "--fields: unknown field 'secrt'"],
  ])(
    "that fails on the result (%s) prints the whole result, because a secret is shown only once",
    async (wrong, issue) => {
      const line = `webhooks create --name w --uri https://example.com/ --json ${wrong}`.split(" ");
      const { code, stdout, stderr } = await home().sit(line);
      expect([code, JSON.parse(stdout).secret]).toEqual([2, expect.stringMatching(/^whsec_/)]);
      const { error } = JSON.parse(stderr);
      expect(error.message).toContain(`The change was made, but ${issue}`);
      const tried = await home().sit([...line, "--dry-run"]);
      expect([tried.code, tried.stderr]).toEqual([2, expect.not.stringContaining("The change was made")]);
    },
  );

  it.each([
    ["users create --first-name A --last-name B --email a.b@example.com --unit 1 --query unit --fields nmae", "nmae"],
    ["users create --first-name A --last-name B --email a.b@example.com --unit 1 --query {a:id} --fields b", "b"],
    ["units update 1 --name Other --query parent.[id] --fields id", undefined],
    ["units list --query [].parent --fields nmae", "nmae"],
    ["units list --query [?name=='No'].parent --fields id", undefined],
    ["units list --query [?name=='No']|[0].name|length(@) --fields id", undefined],
  ])("with --fields that its result will not have is refused before anything is called: %s", async (line, field) => {
    const before = await count("users");
    const { code, stderr } = await home().sit(line.split(" "));
    if (field === undefined) expect(stderr).not.toContain("--fields");
    else expect([code, stderr]).toEqual([2, expect.stringMatching(`^error: --fields: unknown field '${field}'`)]);
    expect(await count("users")).toBe(before);
  });
});

it("init does not change a profile that has another target", async () => {
  const { sit, path } = home();
  await sit(["profile", "add", "kept", "--url", "https://wcs.example.com"]);
  const line = ["init", "--db", path("other.db"), "--admin-email", "a@example.com", "--admin-name", "A B"];
  const refused = await sit([...line, "--profile", "kept"]);
  expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining("There is a profile kept already.")]);
  const { stdout } = await sit(["profile", "show", "kept", "--json"]);
  expect(JSON.parse(stdout).target).toBe("https://wcs.example.com");
  expect((await sit(["db", "info", "--db", path("other.db")])).code).toBe(6);
  const made = await sit([...line, "--no-profile"]);
  expect(made.stderr).toContain(`wcs users password 1 --db ${path("other.db")}.`);
});

it("- is refused as the file of a backup or of results", async () => {
  const { sit, path } = home();
  expect((await sit(["db", "backup", "-"])).code).toBe(2);
  writeFileSync(path("rows.csv"), "reference,name\nx,X\n");
  expect((await sit(["units", "import", path("rows.csv"), "--results", "-"])).code).toBe(2);
  expect((await sit(["units", "get", "ref:x"])).code).toBe(6);
});

it("unknown --fields are refused for lists that are not those of an operation", async () => {
  const { code, stderr } = await home().sit(["profile", "list", "--fields", "nope"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown field 'nope'")]);
  expect((await home().sit(["profile", "list", "--fields", "name"])).code).toBe(0);
});

it.each(["", "k".repeat(31)])(
  "WCS_TOKEN_KEY=%j is refused by local commands, and by a server before it starts",
  async (key) => {
    const env = { ...home().env, WCS_TOKEN_KEY: key };
    for (const line of [
      ["units", "list"],
      ["serve", "--port", "0"],
      ["serve", "--port", "0", "--workers", "2"],
    ]) {
      const { code, stdout, stderr } = await home().spawn(line, { env });
      expect([code, stdout, stderr], line.join(" ")).toEqual([
        2,
        "",
        "error: WCS_TOKEN_KEY must have at least 32 bytes.\nhint: Create a key with openssl rand -base64 32.\n",
      ]);
    }
  },
);

describe("a setting in the environment", () => {
  it.each([
    ["WCS_SETTING_TOKENS_LIFETIME", "abc", "is not a valid value of the setting tokens.lifetime."],
    ["WCS_SETTING_NOPE", "1", "is not the variable of a setting."],
  ])("%s=%s is refused as a usage error", async (name, value, message) => {
    const { code, stderr } = await home().sit(["units", "list"], { env: { ...home().env, [name]: value } });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} ${message}`)]);
  });

  it("that overrides a stored one is named when that is set", async () => {
    const env = { ...home().env, WCS_SETTING_NAME: "Foo" };
    const { stdout, stderr } = await home().sit(["settings", "set", "name", "Bar"], { env });
    expect([stdout, stderr]).toEqual(["Bar\n", expect.stringContaining("WCS_SETTING_NAME")]);
    expect((await home().sit(["settings", "set", "name", "Baz"])).stderr).toBe("");
  });
});

it.skipIf(!hasTmux)("a long list is printed where there is no pager", async () => {
  const screen = await openTmux({ ...home().env, PAGER: "nowhere-to-be-found" }, { columns: 60, rows: 20 });
  try {
    screen.run("wcs timezones list --limit 100");
    const text = await screen.until((shown) => /Showing the first 100.*\nREADY>$/s.test(shown));
    // The end of the list; the rest has scrolled off the screen.
    expect(text).toMatch(/^America\/\w+.*\nShowing/m);
  } finally {
    screen.close();
  }
});

it.skipIf(!hasTmux)("Ctrl-C in a pager that does not handle it ends the command", async () => {
  const screen = await openTmux({ ...home().env, PAGER: "echo paging; sleep 600" }, { columns: 60, rows: 20 });
  try {
    screen.run("wcs timezones list --limit 100; echo after");
    await screen.until((text) => text.includes("paging"));
    screen.keys("C-c");
    expect(await screen.until((text) => text.endsWith("READY>"))).not.toContain("after\n");
  } finally {
    screen.close();
  }
});
