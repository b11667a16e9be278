import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isFull } from "../support/effort.ts";
import { start, useHome } from "./support.ts";
import { hasTmux, openTmux, type TmuxTerminal } from "./tmux.ts";
import { answer, interrupt, type Step } from "./wizard-steps.ts";

const password = "a very long horse";
const home = useHome();
let server: ReturnType<typeof start>;
let url: string;

beforeAll(async () => {
  const { wcs, path } = home();
  const made = [
    await wcs(["usertypes", "create", "--name", "Employee"]),
    await wcs(["units", "department", "add", "2", "Inside sales"]),
    await wcs(["webhooks", "create", "--name", "payroll", "--uri", "https://payroll.example.com/wcs"]),
    await wcs(["users", "password", "1", "--password-stdin"], { stdin: password }),
  ];
  for (const { code, stderr } of made) if (code !== 0) throw new Error(stderr);
  writeFileSync(path("editor"), '#!/bin/sh\necho "Hello everybody" > "$1"\n', { mode: 0o755 });
  server = start(["serve", "--port", "0"], home().env);
  const [line] = await once(server.stdout!, "data");
  server.stderr?.resume();
  url = String(line).trim();
});
afterAll(() => void server.kill("SIGKILL"));

// The longer form has the other width and the remaining wizards, which use the same prompts.
describe.skipIf(!hasTmux).each(isFull ? [80, 120] : [80])("on a terminal with %i columns", (columns) => {
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    const env = { ...home().env, EDITOR: home().path("editor"), LANG: "C.UTF-8" };
    terminal = await openTmux(env, { columns, rows: 45 });
  });
  afterAll(() => terminal?.close());
  afterEach(async () => {
    if (terminal.screen().endsWith("READY>")) return;
    terminal.keys("C-c");
    await terminal.until((text) => text.endsWith("READY>"));
  });

  const eve = `eve${columns}@example.com`;
  const wizards: readonly (readonly [line: string, steps: readonly Step[], shown: readonly string[]])[] = [
    [
      `wcs init --no-profile --db $HOME/${columns}.db`,
      [
        ["E-mail of the administrator", "ada@example.com"],
        ["Name of the administrator", "Ada Lovelace"],
        ["Name of the root unit", "Acme"],
        ["Password", password],
        ["Password again", password],
      ],
      [`--admin-email ada@example.com`],
    ],
    [
      "wcs users create",
      [
        ["Given name of the user", "Eve"],
        ["Family name of the user", "Ng"],
        ["E-mail address", eve],
        ["First unit of the user", "sal", "Sales"],
        ["User types", "empl", "Employee"],
        ["User types", "", "No more"],
        ["Department", "", "None"],
      ],
      ["As one command: wcs users create --first-name Eve --last-name Ng"],
    ],
    [
      `wcs users membership add ${eve}`,
      [
        ["Unit:", "acme", "Acme"],
        ["User types", "", "None"],
      ],
      ["As one command: wcs users membership add"],
    ],
    [
      "wcs units create",
      [
        ["Name of the unit", "Harbour"],
        ["Parent unit", "acme", "Acme"],
      ],
      ["As one command: wcs units create --name"],
    ],
    [
      "wcs events create",
      [
        ["Title of the event", "Party"],
        ["Calendar of the event", "user", "user"],
        ["All day", "n"],
        ["Start", "2027-01-05 09:00"],
        ["End", "+2h"],
        ["Place", "Canteen"],
        ["Repeat", ""],
        ["Share it with", "", "Nobody"],
      ],
      ["As one command: wcs events create --title Party"],
    ],
    [
      "wcs events create --title Daily --type user --start +1h",
      [
        ["End", "+15m"],
        ["Place", ""],
        ["Repeat", ""],
        ["Share it with", "", "Nobody"],
      ],
      ["As one command: wcs events create --title Daily --type user --start +1h --end +15m"],
    ],
    [
      "wcs posts create",
      [
        ["Kind of post", "", "news"],
        ["Title of the post", "Hi"],
        ["Who may read it?", "", "Your own unit"],
        ["Publish it?", "", "Publish"],
      ],
      ["As one command: wcs posts create --content-type news --title Hi --body @post.md"],
    ],
    [
      "wcs usertypes create",
      [
        ["Name of the user type", `Publisher ${columns}`],
        ["Abilities", " "],
      ],
      ["As one command: wcs usertypes create --name"],
    ],
    [
      "wcs webhooks create",
      [
        ["Name of the webhook", `intranet${columns}`],
        ["URL to call", "https://intranet.example.com/"],
      ],
      ["cannot be shown again", "As one command: wcs webhooks create"],
    ],
    ["wcs webhooks logs", [["Webhook", "payr", "payroll"]], ["payroll (https://payroll.example.com/wcs, "]],
    [`wcs conversations send --to ${eve}`, [], ["Hello everybody"]],
    [
      `wcs webhooks delete intranet${columns}`,
      [[`Delete webhook intranet${columns} and its log?`, "y"]],
      ["Deleted webhook"],
    ],
    [
      `WCS_CONFIG_DIR=$HOME/login${columns} wcs auth login`,
      [
        ["URL of the instance", "URL"],
        ["E-mail", "ada@example.com"],
        ["Password", password],
      ],
      ["Signed in to"],
    ],
  ];

  const chosen = wizards.filter(([line]) => isFull || /wcs (init|users create|posts create|auth login)/.test(line));

  it.each(chosen)("%s ends with Ctrl-C, and asks to its end", async (line, steps, shown) => {
    if (steps[0]) await interrupt(terminal, line, steps[0][0]);
    const screen = await answer(
      terminal,
      line,
      steps.map(([question, typed, marked]) => [question, typed === "URL" ? url : typed, marked] as const),
    );
    expect(screen).toMatch(/^exit 0$/m);
    const joined = screen.replaceAll("\n", "");
    for (const text of shown) expect(joined).toContain(text);
    expect(screen).not.toContain(password);
  });
});
