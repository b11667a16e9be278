import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { type CommandEntry, isGroup, isOperation } from "../../src/cli/kit/command-spec.ts";
import { registry } from "../../src/cli/registry.ts";
import { configFile, readConfig } from "../../src/cli/session/config.ts";
import { units } from "../../src/contract/units.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { asArgument, newDatabase } from "../support/instance.ts";
import { useHome } from "./support.ts";

const home = useHome();
const said = (text: string) => ({
  code: 0,
  stdout: "",
  stderr: `Without --dry-run: ${text}\nDry run: nothing was changed.\n`,
});

/** Commands that change nothing, or that are a conversation with a person or a receiver. */
const without = [
  "auth 2fa enable",
  "auth login",
  "auth token",
  "completion bash",
  "completion fish",
  "completion powershell",
  "completion zsh",
  "conversations export",
  "conversations follow",
  "db check",
  "demo",
  "diff",
  "doctor",
  "events export",
  "events files get",
  "export",
  "files get",
  "groups image get",
  "help",
  "posts files get",
  "schema organisation",
  "serve",
  "top",
  "units export",
  "units image get",
  "users avatar get",
  "users export",
  "users export-data",
  "webhooks listen",
  "webhooks verify",
];

it("every command that changes something takes --dry-run", async () => {
  const found: string[] = [];
  const visit = (entry: CommandEntry, path: readonly string[]): void => {
    if (isGroup(entry)) {
      for (const [name, inner] of Object.entries(entry.commands)) visit(inner, [...path, name]);
    } else if (
      !isOperation(entry) &&
      !entry.watchable &&
      !entry.flags?.some(({ flags }) => flags.includes("--dry-run"))
    )
      found.push(path.join(" "));
  };
  for (const [name, { load }] of Object.entries(registry)) visit(await load(), [name]);
  expect(found.sort()).toEqual(without);
});

it.each([
  [["profile", "add", "work", "--url", "http://localhost:1"], "Added profile work."],
  [["profile", "use", "local"], "Profile local is now the current one."],
  [["profile", "remove", "local"], "Removed profile local."],
  [["alias", "set", "people", "--", "users", "list"], "wcs people now means wcs users list."],
  [["alias", "remove", "sales"], "Removed alias sales."],
])("--dry-run of %j changes no configuration", async (words, text) => {
  await home().wcs(["alias", "set", "sales", "--", "users", "list"]);
  const before = readFileSync(configFile(home().env), "utf8");
  const [first, second, ...rest] = words as [string, string, ...string[]];
  expect(await home().wcs([first, second, "--dry-run", ...rest])).toMatchObject(said(text));
  expect(readFileSync(configFile(home().env), "utf8")).toBe(before);
});

it.each([
  [["profile", "add", "local", "--url", "http://localhost:1"], 7, "Profile 'local' already exists."],
  [["profile", "use", "nobody"], 6, "There is no profile 'nobody'."],
  [["alias", "set", "users", "--", "users", "list"], 2, "is a command of wcs"],
  [["alias", "remove", "nothing"], 6, "There is no alias nothing."],
  [["auth", "logout"], 0, "is not signed in. There is nothing to sign out of."],
  [["auth", "renew"], 4, "is not signed in"],
])("--dry-run of %j fails as the command itself would", async (words, code, message) => {
  const [first, second, ...rest] = words as [string, string, ...string[]];
  const result = await home().wcs([first, second, "--dry-run", ...rest]);
  expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

it("auth logout --dry-run and auth renew --dry-run keep the token and its session", async () => {
  const password = "a very long horse";
  await home().wcs(["users", "password", "1", "--password-stdin"], { stdin: password });
  const login = ["auth", "login", "--username", "ada@example.com", "--password-stdin"];
  expect(await home().wcs(login, { stdin: password })).toMatchObject({ code: 0 });
  const before = readFileSync(configFile(home().env), "utf8");
  expect(await home().wcs(["auth", "logout", "-n"])).toMatchObject(said("Signed out of profile local."));
  expect(await home().wcs(["auth", "renew", "-n"])).toMatchObject(said("Renewed the token of profile local."));
  expect(readFileSync(configFile(home().env), "utf8")).toBe(before);
  expect(await home().wcs(["auth", "logout"])).toMatchObject({ code: 0 });
});

/** The file of the database that the profile of the home names. */
const ownDatabase = (): string => readConfig(home().env).profiles.local!.target;
const administrator = ["--admin-email", "bob@example.com", "--admin-name", "Bob Lee"];

it("init --dry-run creates neither database nor folder nor profile, and checks what it can", async () => {
  const file = home().path("new/folder/wcs.db");
  const before = readFileSync(configFile(home().env), "utf8");
  const dry = ["init", ...administrator, "--dry-run", "--db"];
  expect(await home().wcs([...dry, file])).toMatchObject(said(`Created ${file}.`));
  expect(existsSync(home().path("new"))).toBe(false);
  expect(readFileSync(configFile(home().env), "utf8")).toBe(before);
  expect(await home().wcs([...dry, ownDatabase()])).toMatchObject({ code: 7 });
  const below = `${ownDatabase()}/inside.db`;
  expect(await home().wcs([...dry, below])).toMatchObject({
    code: 8,
    stderr: `error: ${below} cannot be opened (ENOTDIR).\nhint: A part of its path is a file, not a folder. Name another path.\n`,
  });
  const weak = await home().wcs([...dry, file, "--password-stdin"], { stdin: "password" });
  expect(weak).toMatchObject({ code: 3, stderr: expect.stringContaining("most common passwords") });
});

it("init --dry-run and db copy --dry-run to PostgreSQL leave an empty database empty", async () => {
  const { target, remove } = await newDatabase("postgres");
  onTestFinished(remove);
  const { target: place, env } = asArgument(target);
  const dry = await home().spawn(["init", ...administrator, "--dry-run", "--db", place], { env });
  expect(dry).toMatchObject(said(`Created ${place}.`));
  const copied = await home().spawn(["db", "copy", "--to", place, "--dry-run"], { env });
  expect(copied).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Without --dry-run: Copied \d+ rows in \d+ /),
  });
  const client = new pg.Client({ connectionString: target });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query(
    "select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace",
  );
  expect(rows).toEqual([{ tables: 0 }]);
  expect(await home().spawn(["init", ...administrator, "--no-profile", "--db", place], { env })).toMatchObject({
    code: 0,
  });
  expect(await home().spawn(["db", "copy", "--to", place, "--dry-run"], { env })).toMatchObject({ code: 7 });
});

it("db copy --dry-run creates no file, and says how many rows db copy copies", async () => {
  const to = home().path("copy.db");
  const dry = await home().wcs(["db", "copy", "--to", to, "-n"]);
  expect(existsSync(to)).toBe(false);
  const copied = await home().wcs(["db", "copy", "--to", to, "--json"]);
  const { rows, tables } = JSON.parse(copied.stdout) as { rows: number; tables: number };
  expect(dry).toMatchObject(said(`Copied ${rows} rows in ${tables} tables to ${to}.`));
  expect(await home().wcs(["db", "copy", "--to", to, "-n"])).toMatchObject({ code: 7 });
});

it("db backup --dry-run makes and removes no backup, and says which ones it would remove", async () => {
  const folder = home().path("backups");
  mkdirSync(folder);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const old = `${folder}/wcs-20200101T030000Z.db`;
  expect(await home().wcs(["db", "backup", `${folder}/one.db`, "-n"])).toMatchObject(said(`Saved ${folder}/one.db.`));
  expect(existsSync(`${folder}/one.db`)).toBe(false);
  expect(await home().wcs(["db", "backup", old])).toMatchObject({ code: 0 });
  cpSync(old, `${folder}/wcs-20200102T030000Z.db`);
  const rotated = await home().wcs(["db", "backup", folder, "--rotate", "2", "-n"]);
  expect(rotated).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Saved .*Z\.db\. Removed 1 older backup\.\n/),
  });
  expect(existsSync(old)).toBe(true);
  expect(await home().wcs(["db", "backup", old, "-n"])).toMatchObject({ code: 7 });
  const nowhere = await home().wcs(["db", "backup", `${folder}/none/one.db`, "-n"]);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("its folder does not exist") });
  expect(await home().wcs(["db", "backup", `${folder}/none/one.db`])).toEqual(nowhere);
});

it("completion install --dry-run writes no file", async () => {
  const file = home().path(".config/fish/completions/wcs.fish");
  const { code, stderr } = await home().wcs(["completion", "install", "fish", "-n"]);
  expect([code, stderr]).toEqual([0, `Without --dry-run: Wrote ${file}\nDry run: nothing was changed.\n`]);
  expect(existsSync(file)).toBe(false);
});

it("webhooks deliver --dry-run says what is due, and sends nothing", async () => {
  await home().wcs(["webhooks", "create", "--name", "ci", "--uri", "http://127.0.0.1:9/none"]);
  // The command itself would send its callback at once.
  const caller = createService({ database: await openDatabase(ownDatabase()) }).caller({ userId: 1 });
  await caller.call(units.create, { name: "Sales", parent: 1 }).finally(() => caller.close());
  expect(await home().wcs(["webhooks", "deliver", "-n"])).toMatchObject(said("Sent 1 callback, 0 mails."));
  expect(await home().wcs(["webhooks", "deliver", "-n"])).toMatchObject(said("Sent 1 callback, 0 mails."));
});

it.each(["--no-header", "--json", "-ocsv", "--template={id}", "--fields=id"])(
  "webhooks test --dry-run %s says that it would queue an event, and prints nothing",
  async (format) => {
    await home().wcs(["webhooks", "create", "--name", "ci", "--uri", "https://ci.example.com/hook", "--if-not-exists"]);
    const dry = await home().wcs(["webhooks", "test", "ci", "-n", format]);
    expect(dry).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/Without --dry-run: Queued a test event for webhook \d+ \(ci\)\.\nDry run/),
    });
  },
);
