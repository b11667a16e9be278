import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, useHome } from "./support.ts";
import { patience } from "./tmux.ts";

const home = useHome();
const folder = join(import.meta.dirname, "../../completions");
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** The start-up commands of each shell. `READY>` is its prompt. */
const starts: Readonly<Record<string, { command: string; lines: readonly string[] }>> = {
  bash: { command: "bash --noprofile --rcfile start -i", lines: ["PS1='READY> '", `source '${folder}/wcs.bash'`] },
  zsh: {
    command: "ZDOTDIR=$PWD zsh -i",
    lines: [
      "PS1='READY> '",
      "zmodload zsh/complist",
      `fpath=('${folder}' $fpath)`,
      "autoload -Uz compinit && compinit -u",
    ],
  },
  fish: {
    command: "fish --no-config -i -C 'source start'",
    lines: [
      "function fish_prompt; echo 'READY> '; end",
      "function fish_right_prompt; end",
      `source '${folder}/wcs.fish'`,
    ],
  },
};

/** A typed line, and the line after Tab. */
const pressed: readonly [typed: string, line: string][] = [
  ["wcs users list --unit Sal", "wcs users list --unit Sales"],
  ["wcs users list --unit sal", "wcs users list --unit Sales"],
  ["wcs users list --unit Lis", "wcs users list --unit Lis"],
  ["wcs users list --unit=acm", "wcs users list --unit=Acme"],
  ["wcs users get ada", String.raw`wcs users get Ada\ Lovelace`],
  ["wcs webhooks create --triggers unit.cr", "wcs webhooks create --triggers unit.create"],
  ["wcs settings set tokens.l", "wcs settings set tokens.lifetime"],
  ["wcs unit upd", "wcs unit update"],
  ["wcs unit update 2 --data @star", "wcs unit update 2 --data @start"],
  ["wcs post create --body @star", "wcs post create --body @start"],
  ["wcs user import peop", "wcs user import people.csv"],
  ['wcs units get "The', String.raw`wcs units get "The \"Old\" Mill"`],
  ["wcs --db ~/../own.db units get pier", "wcs --db ~/../own.db units get Pier"],
  ["wcs webhooks create --triggers user.create,unit.cr", "wcs webhooks create --triggers user.create,unit.create"],
  ["wcs under --uni", "wcs under --unit"],
  ["wcs und", "wcs under"],
  ["wcs batch people.csv -- users get ada", String.raw`wcs batch people.csv -- users get Ada\ Lovelace`],
];

/** A real terminal with a shell. Waits for what is on the screen, and for no fixed time. */
function openShell(shell: string) {
  const socket = `wcs-${process.pid}-${shell}`;
  const tmux = (...args: string[]) => spawnSync("tmux", ["-L", socket, ...args], { encoding: "utf8" }).stdout;
  const screen = () => tmux("capture-pane", "-p").trimEnd();
  const line = () => screen().slice(screen().lastIndexOf("READY>")).split("\n")[0]?.slice("READY> ".length).trimEnd();
  const until = async (isDone: () => boolean) => {
    for (const end = performance.now() + patience; performance.now() < end && !isDone(); ) await pause(50);
  };
  return {
    tmux,
    screen,
    line,
    until,
    async open(cwd: string) {
      tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "-c", cwd, starts[shell]?.command ?? "");
      await until(() => screen().includes("READY>"));
    },
    async clear() {
      tmux("send-keys", "C-c");
      tmux("send-keys", "C-l");
      await until(() => line() === "" && screen().split("READY>").length === 2);
    },
    async type(text: string) {
      tmux("send-keys", "-l", text);
      await until(() => line()?.startsWith(text.trimEnd()) === true);
    },
  };
}

beforeAll(async () => {
  await home().wcs(["units", "create", "--name", 'The "Old" Mill', "--parent", "1"]);
  await home().wcs([
    "init",
    "--db",
    home().path("own.db"),
    "--root-unit",
    "Pier",
    "--admin-email",
    "a@example.com",
    "--admin-name",
    "Ann Pier",
    "--no-profile",
  ]);
  await home().wcs(["alias", "set", "under", "users list --below"]);
});

describe.each(Object.keys(starts))("%s in a terminal", (shell) => {
  const isThere = has(shell) && has("tmux");
  const terminal = openShell(shell);
  beforeAll(async () => {
    if (!isThere) return;
    const { lines } = starts[shell]!;
    const own = home().path(shell);
    mkdirSync(join(own, "bin"), { recursive: true });
    writeFileSync(
      join(own, "bin/wcs"),
      `#!/bin/sh\n"${process.execPath}" "${bin}" "$@"\necho done >> "${own}/done"\n`,
      { mode: 0o755 },
    );
    const env = { ...home().env, HOME: own, WCS_COMPLETION_TIMEOUT: "20000", PATH: `${own}/bin:${process.env.PATH}` };
    const exported = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
    for (const name of ["start", ".zshrc"]) writeFileSync(join(own, name), `${[...exported, ...lines].join("\n")}\n`);
    writeFileSync(join(own, "people.csv"), "");
    await terminal.open(own);
  });
  afterAll(() => void terminal.tmux("kill-server"));

  it.skipIf(!isThere).each(pressed)("%s and Tab: %s", async (typed, expected) => {
    await terminal.clear();
    await terminal.type(typed);
    terminal.tmux("send-keys", "Tab");
    // A line that stays as it is is looked at after the next key.
    terminal.tmux("send-keys", "-l", "!");
    await terminal.until(() => terminal.line()?.endsWith("!") === true);
    expect(terminal.line()?.replace(/ ?!$/, "")).toBe(expected);
  });

  it.skipIf(!isThere)("names are shown beside IDs", async () => {
    await terminal.clear();
    await terminal.type("wcs units get ");
    terminal.tmux("send-keys", "Tab");
    terminal.tmux("send-keys", "Tab");
    await terminal.until(() => /2\s+\(?Sales/.test(terminal.screen()));
    expect(terminal.screen()).toMatch(/1\s+\(?Acme/);
    expect(terminal.screen()).toMatch(/2\s+\(?Sales/);
  });
});
