import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { units } from "../../src/cli/commands/units/units-commands.ts";
import { fileNames, script, shells } from "../../src/cli/completion/completion-script.ts";
import { registry } from "../../src/cli/registry.ts";
import { isFull } from "../support/effort.ts";
import { bin, useHome } from "./support.ts";

/** Allows more time than completion has, since the machine may be busy. */
const patient = { WCS_COMPLETION_TIMEOUT: "20000" };

const home = useHome();
const folder = join(import.meta.dirname, "../../completions");
const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

it.each(shells)("the script for %s is the file in completions/ (run node scripts/completions.ts)", async (shell) => {
  expect(readFileSync(join(folder, fileNames[shell]), "utf8")).toBe(await script(shell, registry));
  expect((await home().sit(["completion", shell])).stdout).toBe(await script(shell, registry));
});

const unitVerbs = Object.keys(units).sort();

/** Typed lines and their completions; `started` when the script may start wcs for them. */
const cases: readonly { line: string; found: readonly string[]; started?: true }[] = [
  { line: "wcs unit", found: ["units"] },
  { line: "wcs users mem", found: ["membership"] },
  { line: "wcs users membership ", found: ["add", "list", "remove", "set"] },
  { line: "wcs --profile x users membership s", found: ["set"] },
  { line: "wcs unit ", found: unitVerbs },
  { line: "wcs user membership l", found: ["list"] },
  { line: "wcs webhook ls --li", found: ["--limit"] },
  { line: "wcs group member rm 1 --y", found: ["--yes"] },
  { line: "wcs users list --bel", found: ["--below"] },
  { line: "wcs users nothing ", found: [] },
  { line: "wcs batch rows.csv -- users mem", found: ["membership"] },
  { line: "wcs alias set members users mem", found: ["membership"] },
  { line: "wcs users update 1 --unset ph", found: ["phone"] },
  { line: "wcs users create --unset ph", found: [] },
  { line: "wcs users list -o n", found: ["ndjson"] },
  { line: "wcs users list --json", found: ["--json"] },
  { line: "wcs users export --json", found: [] },
  { line: "wcs users export -o js", found: [] },
  { line: "wcs users export --tz Europe/Cop", found: ["Europe/Copenhagen"], started: true },
  { line: "wcs users list -o=", found: [] },
  { line: "wcs users list -o=n", found: [] },
  { line: "wcs units update 2 --unit-type ", found: ["department", "unit"] },
  { line: "wcs users list --unit sal", found: ["Sales"], started: true },
  { line: "wcs groups member set 3 ada@example.com adm", found: ["administrator"] },
  { line: "wcs users membership add ada@example.com sal", found: ["Sales"], started: true },
  { line: "wcs users update ada@example.com --timezone Europe/Cop", found: ["Europe/Copenhagen"], started: true },
  { line: "wcs webhooks create --triggers unit.c", found: ["unit.create"] },
  { line: "wcs users list --fields id,unit.na", found: ["id,unit.name"], started: true },
  { line: "wcs users update 1 --timezone Europe/Cop", found: ["Europe/Copenhagen"], started: true },
  { line: "wcs users update 1 --language da", found: ["da"], started: true },
  { line: "wcs settings set tokens.l", found: ["tokens.lifetime"], started: true },
  { line: "wcs help exit", found: ["exit-codes"], started: true },
  { line: "wcs help users mem", found: ["membership"], started: true },
  { line: "wcs whoami --js", found: ["--json"], started: true },
  { line: "wcs nothing ", found: [], started: true },
  { line: "wcs help use", found: ["users", "usertypes"], started: true },
  { line: "wcs completion f", found: ["fish"] },
  { line: "wcs users list --unit ", found: ["1", "2"], started: true },
  { line: "wcs units get ", found: ["1", "2"], started: true },
  { line: "wcs --profile ", found: ["local"], started: true },
  { line: "wcs units list --as ", found: ["1"], started: true },
  { line: "wcs audit list --operation auth.ren", found: ["auth.renew"], started: true },
  { line: "wcs users get --db /no/such ", found: [], started: true },
  { line: "wcs users get --url http://127.0.0.1:1 ", found: [], started: true },
];

let path: string;
let silent: string;
beforeAll(() => {
  path = join(home().folder, "bin");
  silent = join(home().folder, "silent");
  for (const each of [path, silent]) mkdirSync(each);
  symlinkSync(process.execPath, join(path, "node"));
  writeFileSync(join(path, "wcs"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 });
  writeFileSync(join(silent, "wcs"), `#!/bin/sh\necho started >> "${home().folder}/started"\n`, { mode: 0o755 });
});

/** Completes lines in one shell, and returns the completions of each. */
function complete(shell: string, lines: readonly string[], started: boolean): string[][] {
  const env = { ...home().env, ...patient, PATH: `${started ? path : silent}:${process.env.PATH}` };
  const printed = execFileSync(shell, [...harness[shell]!, ...lines], { env, encoding: "utf8", stdio: "pipe" });
  return printed
    .split(mark)
    .slice(1)
    .map((each) =>
      each
        .split("\n")
        .map((found) => found.split(/\t| {2}/)[0]!.trim())
        .filter(Boolean)
        .sort(),
    );
}

const mark = "--- a line ---";

const bashHarness = `
source "${join(folder, "wcs.bash")}"
for line in "$@"; do
echo '${mark}'
COMPREPLY=()
COMP_LINE="$line"
# bash splits words at @ and =.
spaced="\${line//@/ @ }"
read -ra COMP_WORDS <<< "\${spaced//=/ = }"
[[ "$line" == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_wcs
printf '%s\\n' "\${COMPREPLY[@]}"
done`;
// zsh completes only in its line editor, so the completions are printed instead.
const zshHarness = `
compadd() { local -a all; while (( $# )); do case "$1" in -d) shift 2;; -a) all+=(\${(P)2}); shift 2;; -l|-U) shift;; -M|-x) shift 2;; --) shift; all+=("$@"); break;; *) all+=("$1"); shift;; esac; done; print -l -- $all; }
_describe() { [[ "$1" == -o ]] && shift; local -a all; all=(\${(P)2}); print -l -- \${all%%:*}; }
_files() { :; }
compset() { :; }
compdef() { :; }
source "${join(folder, "_wcs")}"
for typed in "$@"; do
print -r -- '${mark}'
words=(\${(z)typed}); [[ "$typed" == *' ' ]] && words+=(''); CURRENT=$#words; PREFIX=$words[-1]
_wcs | while read -r line; do [[ "\${(L)line}" == "\${(L)PREFIX}"* ]] && print -r -- "$line"; done
done; true`;
const harness: Record<string, string[]> = {
  bash: ["--norc", "-c", bashHarness, "bash"],
  zsh: ["-f", "-c", zshHarness, "zsh"],
  fish: [
    "--no-config",
    "-c",
    `source "${join(folder, "wcs.fish")}"; for line in $argv; echo '${mark}'; complete -C $line; end`,
  ],
};

describe.each(["bash", "zsh", "fish"])("%s", (shell) => {
  const shown = (some: typeof cases) => Object.fromEntries(some.map(({ line, found }) => [line, [...found]]));
  const completed = (some: typeof cases, started: boolean) => {
    const lines = some.map(({ line }) => line);
    const found = complete(shell, lines, started);
    return Object.fromEntries(lines.map((line, at) => [line, found[at]]));
  };

  it.skipIf(!has(shell))("completes words and flags without starting the program", () => {
    const known = cases.filter(({ started }) => !started);
    expect(completed(known, false)).toEqual(shown(known));
    expect(() => readFileSync(join(home().folder, "started"))).toThrow("ENOENT");
  });

  it.skipIf(!has(shell))("starts the program for names, values and IDs", () => {
    const asked = cases.filter(({ started }) => started);
    // All cases start wcs in the same way, so each shell tests a part of them, and in the longer form all.
    const share = asked.filter((_, at) => isFull || at % 3 === ["bash", "zsh", "fish"].indexOf(shell));
    expect(completed(share, true)).toEqual(shown(share));
  });
});

it("__complete returns names and IDs, and is silent after errors", async () => {
  const run = async (...args: string[]) => home().spawn(["__complete", ...args], { env: patient });
  expect(await run("users", "ada")).toMatchObject({ code: 0, stdout: "Ada Lovelace\tAcme, 1\n" });
  expect(await run("users", "love")).toMatchObject({ code: 0, stdout: "1\tAda Lovelace (Acme, 1)\n" });
  expect(await run("units", "1,Sal")).toMatchObject({ code: 0, stdout: "1,Sales\tAcme, 2\n" });
  expect(await run("users", "me")).toMatchObject({ code: 0, stdout: "me\tYou\n" });
  expect(await run("units", "Sales,Sal")).toMatchObject({ code: 0, stdout: "" });
  const fields = (await run("fields", "id,", "users", "list")).stdout;
  expect(fields).toContain("id,active\t\n");
  expect(fields).not.toContain("id,id\t");
  const acting = { code: 0, stdout: "Ada Lovelace\tAcme, 1\n" };
  for (const as of ["--as", "--as Ada", "--as=Ada"])
    expect(await run("users", "Ada", "units", "list", ...as.split(" "))).toMatchObject(acting);
  const operations = (await run("operations", "", "audit", "list", "--operation", "")).stdout.split("\n");
  expect(operations).toEqual(expect.arrayContaining(["webhooks.*\t", "users.get\tGet a user"]));
  expect(operations).not.toContain("read\t");
  const scopes = (await run("scopes", "")).stdout.split("\n");
  expect(scopes).toEqual(expect.arrayContaining(["read\t", "write\t", "webhooks.*\t", "users.get\tGet a user"]));
  expect(await run("units", "2")).toMatchObject({ code: 0, stdout: "1\tAcme\n2\tSales\n" });
  expect(await run("units", "", "units", "get", "--profile=nobody")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  await home().wcs(["units", "department", "add", "Sales", "Exports"]);
  const update = ["units", "department", "update", "Sales"];
  expect(await run("departments", "", ...update, "")).toMatchObject({ code: 0, stdout: "1\tExports\n" });
  expect(await run("departments", "Ex", ...update, "Ex")).toMatchObject({ code: 0, stdout: "Exports\t1\n" });
  const add = ["users", "membership", "add", "1", "Sales", "--department"];
  expect(await run("departments", "", ...add)).toMatchObject({ code: 0, stdout: "1\tExports\n" });
  expect(await run("departments", "", "units", "department", "update", "")).toMatchObject({ code: 0, stdout: "" });
  const membership = ["users", "membership", "set", "ada@example.com"];
  expect(await run("memberships", "", ...membership, "")).toMatchObject({ code: 0, stdout: "1\tAcme\n" });
  expect(await run("memberships", "Ac", ...membership, "Ac")).toMatchObject({ code: 0, stdout: "Acme\t1\n" });
  expect(await run("memberships", "", "users", "membership", "remove", "")).toMatchObject({ code: 0, stdout: "" });
  const poll = ["--poll-question", "Where?", "--choice", "Park", "--choice", "Canteen"];
  await home().wcs(["posts", "create", "--content-type", "debate", "--title", "Lunch", ...poll]);
  const vote = ["posts", "vote", "Lunch"];
  expect(await run("choices", "", ...vote, "")).toMatchObject({ code: 0, stdout: "1\tPark\n2\tCanteen\n" });
  expect(await run("choices", "Ca", ...vote, "Ca")).toMatchObject({ code: 0, stdout: "Park\t1\nCanteen\t2\n" });
  expect(await run("choices", "", "posts", "vote", "")).toMatchObject({ code: 0, stdout: "" });
  const setting = async (name: string) => (await run("settingvalues", "", "settings", "set", name, "")).stdout;
  expect(await setting("timezone")).toContain("Europe/Copenhagen\t\n");
  expect(await setting("base_url")).toBe("");
  await home().wcs(["tokens", "create", "--name", "nightly", "--scopes", "read"]);
  expect(await run("tokens", "ni")).toMatchObject({ code: 0, stdout: "nightly\tAda Lovelace, 1\n" });
  const described = (await run("fields", "", "users", "list", "--fields")).stdout.split("\n");
  expect(described).toEqual(expect.arrayContaining(["id\t", "birthday\t", "unit.name\t"]));
  expect(await run("nonsense")).toMatchObject({ code: 0, stderr: "" });
  const config = home().path("config/config.json");
  const before = readFileSync(config);
  writeFileSync(config, "{");
  expect(await run("profiles")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  writeFileSync(config, before);
});

it("__complete alias prints each word that an alias stands for, also those that occur twice", async () => {
  await home().sit(["alias", "set", "mv3", "users membership set 5 5"]);
  const { stdout } = await home().sit(["__complete", "alias", "mv3"]);
  expect(stdout).toBe("users\t\nmembership\t\nset\t\n5\t\n5\t\n");
  await home().sit(["alias", "remove", "mv3", "--yes"]);
});

const powershell = readFileSync(join(folder, "wcs.ps1"), "utf8");

it.skipIf(!has("pwsh"))("PowerShell parses its script", () => {
  const parse = `$errors = $null
[void][System.Management.Automation.Language.Parser]::ParseFile("${join(folder, "wcs.ps1")}", [ref]$null, [ref]$errors)
$errors | ForEach-Object { $_.Message }`;
  expect(execFileSync("pwsh", ["-NoProfile", "-Command", parse], { encoding: "utf8" })).toBe("");
});

it("the PowerShell script closes each quote and bracket, also where there is no PowerShell to parse it", () => {
  // Comments, '' in single quotes, and ` before a character in double quotes, as its language reference defines them.
  const bare = powershell.replace(/'(?:[^']|'')*'|"(?:[^"`]|`.)*"|#.*$/gm, "");
  expect(bare).not.toMatch(/["'\u2018-\u201b]/);
  const closing: Record<string, string> = { "(": ")", "{": "}", "[": "]" };
  const open: string[] = [];
  for (const [character] of bare.matchAll(/[(){}[\]]/g)) {
    if (character in closing) open.push(closing[character] ?? "");
    else expect(character).toBe(open.pop());
  }
  expect(open).toEqual([]);
  // Words of letters and digits need no quotes.
  expect(powershell).toContain(String.raw`-match '[^\w.:/@+-]'`);
});

it("the PowerShell script doubles each quote in a name, also the typographic ones, which end a word as well", () => {
  const [, quotes = "none"] = /-replace '((?:[^']|'')*)', '\$0\$0'/.exec(powershell) ?? [];
  const doubled = (name: string) => name.replace(new RegExp(quotes.replaceAll("''", "'"), "g"), "$&$&");
  expect(doubled("Sales\u2019; calc; \u2018x")).toBe("Sales\u2019\u2019; calc; \u2018\u2018x");
  expect(doubled("'\u201a\u201b\u2017\u201c")).toBe("''\u201a\u201a\u201b\u201b\u2017\u201c");
});

it("--language completes the languages that the instance offers, and none without a target", async () => {
  const complete = async (typed: string, env: Record<string, string> = {}) => {
    const line = ["__complete", "languages", typed, "users", "update", "1", "--language"];
    // In a process of its own, because its time limit counts from its start.
    const { stdout } = await home().spawn(line, { env: { ...patient, ...env } });
    return stdout.split("\n").flatMap((each) => each.split("\t")[0] || []);
  };
  expect(await complete("")).toEqual(["en", "da"]);
  await home().wcs(["settings", "set", "languages", "de,fr-CA"]);
  expect(await complete("")).toEqual(["de", "fr-CA"]);
  expect(await complete("d")).toEqual(["de"]);
  expect(await complete("fr-c")).toEqual(["fr-CA"]);
  expect(await complete("", { WCS_URL: "http://127.0.0.1:1" })).toEqual([]);
  expect(await complete("", { WCS_CONFIG_DIR: home().path("none") })).toEqual([]);
});
