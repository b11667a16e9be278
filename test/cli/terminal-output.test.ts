import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFull } from "../support/effort.ts";
import { useHome } from "./support.ts";
import { hasTmux, openTmux, type TmuxTerminal } from "./tmux.ts";

const home = useHome();
const styleStart = "\u001b[";

// The longer form has the other width.
describe.skipIf(!hasTmux).each(isFull ? [120] : [80])("on a real terminal with %i columns", (columns) => {
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    terminal = await openTmux(home().env, { columns, rows: 24 });
  });
  afterAll(() => terminal?.close());

  const shown = async (line: string) => {
    terminal.run(`${line}; echo "exit $?"`);
    await terminal.until((text) => /^exit \d+$/m.test(text));
    return terminal.screen({ colours: true });
  };

  it("tables have colour, unless NO_COLOR, --no-color or a pipe says otherwise", async () => {
    const coloured = await shown("wcs units list");
    expect(coloured).toMatch(/ID.*NAME/);
    expect(coloured.split("exit")[0]).toContain(styleStart);
    for (const line of ["NO_COLOR=1 wcs units list", "wcs units list --no-color", "wcs units list -o table | cat"]) {
      const plain = (await shown(line)).split("exit")[0];
      expect(plain, line).toContain("Sales");
      expect(plain, line).not.toContain(styleStart);
    }
  });

  it("errors are red on the terminal, and plain in a file", async () => {
    expect(await shown("wcs units get 99")).toMatch(/\[1m.*\[31m.*error:/);
    expect((await shown("wcs units get 99 2>&1 | cat")).split("exit")[0]).not.toContain(styleStart);
  });

  it("nothing is asked for when a value is typed on stdin, which has ended then", async () => {
    expect(await shown("wcs users create --title - --first-name Ann --email a@example.com")).toMatch(
      /Missing --last-name, --unit\.\s+exit 2/,
    );
    terminal.run(`echo begun; wcs users delete -; echo "exit $?"`);
    await terminal.until((text) => /^begun$/m.test(text));
    terminal.keys("2", "Enter", "C-d");
    await terminal.until((text) => /^exit \d+$/m.test(text));
    expect(terminal.screen()).toMatch(/hint: Pass --yes to confirm\.\nexit 2/);
  });

  it("a table that is longer than the screen opens in the pager, and q leaves it", async () => {
    terminal.run(`PAGER=less wcs timezones list --limit 100; echo "exit $?"`);
    const first = await terminal.until((text) => text.split("\n").length === 24 && text.includes("Africa/"));
    expect(first).not.toContain("exit");
    for (const line of first.split("\n")) expect([...line].length).toBeLessThanOrEqual(columns);
    terminal.keys("q");
    await terminal.until((text) => text.includes("exit 0"));
    const whole = await shown("PAGER=cat wcs timezones list --limit 3");
    expect(whole).toMatch(/Africa\/Abidjan.*exit 0/s);
  });

  it("serve logs readable coloured lines, and JSON into a file", async () => {
    terminal.run(`wcs serve --port 0 --shutdown-notice 0; echo "exit $?"`);
    await terminal.until((text) => text.includes("http://127.0.0.1"));
    terminal.keys("C-c");
    await terminal.until((text) => text.includes("exit 0"));
    expect(terminal.screen({ colours: true })).toMatch(/\d\d:\d\d:\d\d.*\[36m *INFO/);
    const log = home().path("serve.log");
    terminal.run(`wcs serve --port 0 --shutdown-notice 0 2> ${log}; echo "exit $?"`);
    await terminal.until((text) => text.includes("http://127.0.0.1"));
    terminal.keys("C-c");
    await terminal.until((text) => text.includes("exit 0"));
    const lines = readFileSync(log, "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).msg)).toContain("finishing");
  });
});
