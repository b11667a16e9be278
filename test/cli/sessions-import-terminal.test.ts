import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { start, useHome } from "./support.ts";
import { hasTmux, openTmux, type TmuxTerminal } from "./tmux.ts";
import { answer, interrupt } from "./wizard-steps.ts";

const password = "a very long horse";
const home = useHome();
let server: ReturnType<typeof start>;
let url: string;

const done = async (args: readonly string[], stdin?: string) => {
  const { code, stdout, stderr } = await home().wcs(args, stdin === undefined ? {} : { stdin });
  if (code !== 0) throw new Error(stderr);
  return stdout;
};

beforeAll(async () => {
  await done(["users", "password", "1", "--password-stdin"], password);
  server = start(["serve", "--port", "0"], home().env);
  const [line] = await once(server.stdout!, "data");
  server.stderr?.resume();
  url = String(line).trim();
});
afterAll(() => void server.kill("SIGKILL"));

describe.skipIf(!hasTmux).each([80, 120])("on a terminal with %i columns", (columns) => {
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    terminal = await openTmux({ ...home().env, LANG: "C.UTF-8", PAGER: "cat" }, { columns, rows: 45 });
  });
  afterAll(() => terminal?.close());

  /** Checks that no line is wider than the window, which would continue it on the next line of the screen. */
  const expectFit = (screen: string) => expect(terminal.screen({ joined: true })).toBe(screen);

  it("sessions are listed, and one is chosen and ended", async () => {
    const login = (profile: string) =>
      done(
        ["auth", "login", "--url", url, "--profile", profile, "--username", "ada@example.com", "--password-stdin"],
        password,
      );
    const laptop = `laptop${columns}`;
    const phone = `phone${columns}`;
    await login(laptop);
    await login(phone);
    const status = JSON.parse(await done(["auth", "status", "--profile", laptop, "--json"]));
    const ended = String(status.session.id);
    const isListed = async () =>
      JSON.parse(await done(["sessions", "list", "--profile", phone, "--query", `[?id==\`${ended}\`]`, "--json"]));

    const list = await answer(terminal, `wcs sessions list --profile ${phone}`, []);
    expectFit(list);
    expect(list).toMatch(/^ID +USER AGENT +ADDRESS +CREATED AT +LAST USED AT +CURRENT$/m);
    expect(list).toMatch(new RegExp(`^${ended} .*127\\.0\\.0\\.1 +(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +){2}no$`, "m"));

    const end = `wcs sessions end --profile ${phone}`;
    const question = `End session ${ended}? Its token is refused from then on.`;
    await interrupt(terminal, end, "Session:");
    await interrupt(terminal, end, question, [["Session:", ended, `${ended}  `]]);
    expect(await isListed()).toHaveLength(1);
    const screen = await answer(terminal, end, [
      ["Session:", ended, `${ended}  `],
      [question, "y"],
    ]);
    expect(screen).toMatch(/^exit 0$/m);
    expect(screen).toContain(`Ended session ${ended}.`);
    expect(screen).toContain(`As one command: wcs sessions end --profile ${phone} ${ended}`);
    expect(await isListed()).toHaveLength(0);
  });

  it("a missing conversation is chosen by its participants", async () => {
    const email = `carl${columns}@example.com`;
    await done(["users", "create", "--first-name", "Carl", "--last-name", "Carlsen", "--email", email, "--unit", "1"]);
    await done(["conversations", "send", "--to", email, "Shall we meet?"]);
    for (const line of ["wcs conversations get", "wcs conversations messages"]) {
      await interrupt(terminal, line, "Conversation:");
      const screen = await answer(terminal, line, [["Conversation:", "carls", "Carl Carlsen"]]);
      expect(screen).toMatch(/^exit 0$/m);
      expect(screen).toContain(line === "wcs conversations get" ? "Carl Carlsen" : "Shall we meet?");
    }
    const { code, stderr } = await home().wcs(["conversations", "messages"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("Missing <id>") });
  });

  it("the progress line of users import is gone before what a pipe writes to the same terminal", async () => {
    const path = home().path(`piped${columns}.csv`);
    const added = Array.from({ length: 3000 }, (_, at) => `Many,No${at},piped${at}@example.com,SALES`);
    const changed = "Ada,Byron,ada@example.com,SALES";
    writeFileSync(path, `${["first_name,last_name,email,unit", ...added, changed].join("\n")}\n`);
    const screen = await answer(terminal, `wcs users import ${path} --dry-run | cat`, []);
    expect(screen).toMatch(/^action +kind +name/m);
    expect(screen).not.toContain("checking users");
  });

  it("users import maps columns, and asks before it deactivates the missing users", async () => {
    const provider = `hr${columns}`;
    const file = (name: string, people: readonly string[]) => {
      const rows = people.map((each) => `${each}${columns},${each},"Long, ${each}",${each}${columns}@example.com,Blue`);
      const path = home().path(`${name}${columns}.csv`);
      writeFileSync(path, `${["Employee ID,Given,Name,Mail,Colour", ...rows].join("\n")}\n`);
      return path;
    };
    const map = "'Employee ID=reference,Given=first_name,Name=last_name,Mail=email'";
    const mapped = `--map ${map} --set unit=SALES --set provider=${provider}`;
    const first = await answer(terminal, `wcs users import ${file("all", ["ann", "bob", "eve"])} ${mapped}`, []);
    expect(first).toMatch(/^exit 0$/m);
    expect(first.replaceAll("\n", " ")).toContain("Columns that are not imported: 'Colour'.");
    expect(first).toMatch(/^created 3, changed 0, unchanged 0, skipped 0$/m);

    const removal = `--deactivate-missing --scope provider:${provider} --max-removals 2`;
    const again = `wcs users import ${file("some", ["ann"])} ${mapped} ${removal}`;
    const question = "Deactivate 2 users who are not in the file?";
    const active = async () =>
      JSON.parse(await done(["users", "list", "--provider", provider, "--json"])).map((user: { reference: string }) =>
        user.reference.replace(/\d+$/, ""),
      );
    await interrupt(terminal, again, question);
    expect(await active()).toEqual(["ann", "bob", "eve"]);
    const refused = await answer(terminal, again, [[question, "n"]]);
    expect(refused).toMatch(/^The rows are imported; nobody was deactivated\.$/m);
    expect(refused).toMatch(/^exit 130$/m);
    const screen = await answer(terminal, again, [[question, "y"]]);
    expect(screen).toMatch(/^not in the file: bob Long, bob \(bob\d+, user \d+\)$/m);
    expect(screen).toMatch(/^2 of 3 active users of the scope were deactivated\.$/m);
    expect(screen).toMatch(/^exit 0$/m);
    expect(await active()).toEqual(["ann"]);
  });
});
