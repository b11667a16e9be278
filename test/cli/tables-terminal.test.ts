import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useHome } from "./support.ts";
import { hasTmux, openTmux, type TmuxTerminal } from "./tmux.ts";
import { hasEnded } from "./wizard-steps.ts";

const home = useHome();
const name = "A name that is much longer than a narrow window can show in one column";

beforeAll(async () => {
  const { wcs } = home();
  const lines = [
    ["settings", "set", "webhooks.allow_private", "true"],
    ["webhooks", "create", "--name", "payroll", "--uri", "http://127.0.0.1:9/none"],
    ["usertypes", "create", "--name", name, "--abilities-news", "--abilities-calendar"],
    ["units", "create", "--name", name, "--parent", "Sales", "--reference", "LONG"],
    ["users", "create", "--first-name", "Wilhelmina Alexandra", "--last-name", "Featherstonehaugh-Cholmondeley"].concat(
      ["--email", "wilhelmina.featherstonehaugh@example.com", "--unit", "LONG", "--birthday", "1990-01-01"],
    ),
    "users create --first-name 日本語 --last-name テスト --email nihon@example.com --unit 1".split(" "),
    ["events", "create", "--title", name, "--type", "user", "--start", "+1d", "--end", "+90m", "--repeat", "daily"],
  ];
  for (const line of lines) {
    const { code, stderr } = await wcs(line);
    if (code !== 0) throw new Error(stderr);
  }
  await wcs(["webhooks", "deliver"]);
});

/** Lines with the columns that are shown at any width, and those that are shown only in a wide window. */
const tables: readonly (readonly [line: string, always: readonly (string | RegExp)[], wide: readonly string[]])[] = [
  ["users list", ["ID", "NAME", "日本語 テスト"], []],
  ["users birthdays --start 01-01 --end 01-02", [/DAY|BIRTHDAY/, "01-01"], []],
  ["units tree", [/Sales.*\(/, /\(LONG, 1 user\)$/m], []],
  ["usertypes list", ["ABILITIES", "news, calendar"], []],
  ["events list", [/\d{4}-\d\d-\d\d \d\d:\d\d/], []],
  ["webhooks logs payroll", [/^ID/m, /\d{4}-\d\d-\d\d \d\d:\d\d/, "refused", "user.create"], ["DURATION MS"]],
  ["db outbox", [/^WHAT +ID +FAILED /m, /^callback +\d+ +no /m, /\d{4}-\d\d-\d\d \d\d:\d\d/], ["CREATED AT"]],
  ["audit list", [/\d{4}-\d\d-\d\d \d\d:\d\d/, "users.create"], ["Ada Lovelace"]],
  ["settings list", ["tokens.lifetime", "86400"], []],
];

describe.skipIf(!hasTmux).each([80, 120])("on a terminal with %i columns", (columns) => {
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    terminal = await openTmux({ ...home().env, LANG: "C.UTF-8", PAGER: "cat" }, { columns, rows: 120 });
  });
  afterAll(() => terminal?.close());

  it.each(tables)("wcs %s fits, and cuts no time, ID or state", async (line, always, wide) => {
    terminal.run(`wcs ${line}; echo "exit $?"`);
    const screen = await terminal.until(hasEnded);
    if (process.env.PTYLOG)
      spawnSync("tee", ["-a", process.env.PTYLOG], { input: `== ${columns} ${line}\n${screen}\n` });
    expect(screen).toMatch(/^exit 0$/m);
    for (const each of [...always, ...(columns > 100 ? wide : [])]) expect(screen).toMatch(each);
    // A line that is wider than the window would continue on the next line of the screen.
    expect(terminal.screen({ joined: true })).toBe(screen);
    expect(screen).not.toMatch(/\d{4}-\d\d-…|\d\d:…/);
  });
});
