import { EventEmitter } from "node:events";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { handleSignals } from "../../src/cli/terminal/signals.ts";
import { useHome } from "./support.ts";
import { hasTmux, openTmux, type TmuxTerminal } from "./tmux.ts";

const home = useHome();

/** Creates a process whose stderr is a terminal, or that has no terminal. */
function fakeProcess(isTTY: boolean) {
  const sent: string[] = [];
  const fake = Object.assign(new EventEmitter(), {
    stdin: {},
    stdout: {},
    stderr: { isTTY },
    pid: 1,
    kill: (_: number, signal: string) => sent.push(signal) > 0,
  });
  return { fake, sent, signals: handleSignals(fake as unknown as NodeJS.Process) };
}

it.skipIf(!hasTmux).each([
  ["waits", "conversations follow 1", "Good morning"],
  ["ends itself", "units get 2 --watch", "Sales"],
])("Ctrl-C ends a shell loop around a command that %s", async (_, command, printed) => {
  await home().sit("users create --first-name Bob --last-name B --email b@example.com --unit 1".split(" "));
  await home().sit(["conversations", "create", "--recipients", "b@example.com", "--message", "Good morning"]);
  const screen = await openTmux(home().env, { columns: 100 });
  try {
    screen.run(`for n in one two; do wcs ${command}; echo after; done`);
    await screen.until((text) => text.includes(printed));
    screen.keys("C-c");
    expect(await screen.until((text) => /READY>$|after/.test(text))).not.toContain("after");
  } finally {
    screen.close();
  }
});

it.skipIf(!hasTmux)("a question is asked again after Ctrl-Z and fg", async () => {
  const screen = await openTmux(home().env, { columns: 100 });
  const asked = (times: number) => screen.until((text) => text.split("(y/N)").length === times + 1);
  try {
    screen.run("wcs units delete 2");
    await asked(1);
    for (const times of [2, 3]) {
      screen.keys("C-z");
      await screen.until((text) => text.endsWith("READY>"));
      screen.keys("fg", "Enter");
      await asked(times);
    }
    screen.keys("n", "Enter");
    await screen.until((text) => text.includes("Nothing was changed"));
  } finally {
    screen.close();
  }
});

describe.skipIf(!hasTmux)("Ctrl-Z stops between two transactions, so that others can write,", () => {
  const writeUsers = (title: string) => {
    const file = home().path("users.csv");
    const rows = Array.from({ length: 3000 }, (_, at) => `z${at},Zoe,No${at},z${at}@example.com,SALES,${title}`);
    writeFileSync(file, ["reference,first_name,last_name,email,unit,title", ...rows].join("\n"));
    return file;
  };
  const isBlocked = () => {
    using connection = new DatabaseSync(home().path("data/wcs/wcs.db"), { timeout: 0 });
    try {
      connection.exec("begin immediate; rollback");
      return false;
    } catch {
      return true;
    }
  };
  const stopWhenBlocked = async (screen: TmuxTerminal) => {
    await expect.poll(isBlocked, { interval: 5 }).toBe(true);
    screen.keys("C-z");
    await screen.until((text) => text.includes("Stopped"));
    expect(isBlocked()).toBe(false);
    screen.keys("fg", "Enter");
  };
  beforeAll(async () => {
    expect((await home().sit(["users", "import", writeUsers("Chef")])).code).toBe(0);
  });

  it("an import", async () => {
    const screen = await openTmux(home().env, { columns: 100 });
    try {
      screen.run(`wcs users import ${writeUsers("Baker")}`);
      await stopWhenBlocked(screen);
      await screen.until((text) => text.includes("changed 3000"));
    } finally {
      screen.close();
    }
  });

  it("a server", async () => {
    const made = await home().sit(["tokens", "create", "--name", "import", "--scopes", "write", "--json"]);
    const screen = await openTmux(home().env, { columns: 100 });
    try {
      screen.run("wcs serve --port 0 --log-level silent");
      const isReady = /http:\S+/;
      const [url = ""] = isReady.exec(await screen.until((text) => isReady.test(text))) ?? [];
      const env = { WCS_TOKEN: JSON.parse(made.stdout).token };
      const imported = home().spawn(["users", "import", writeUsers("Cook"), "--url", url], { env });
      await stopWhenBlocked(screen);
      expect(await imported).toMatchObject({ code: 0, stderr: expect.stringContaining("changed 3000") });
      screen.keys("C-c");
      await screen.until((text) => text.endsWith("READY>"));
    } finally {
      screen.close();
    }
  });
});

it.skipIf(!hasTmux)("wcs serve ends with its terminal", async () => {
  const screen = await openTmux(home().env, { columns: 100 });
  screen.run("wcs serve --port 0 --log-level silent");
  const isReady = /http:\S+/;
  const [url = ""] = isReady.exec(await screen.until((text) => isReady.test(text))) ?? [];
  screen.close();
  await expect.poll(() => fetch(url).then(String, () => "refused")).toBe("refused");
});

it("Ctrl-Z stops a process when it is no longer busy, and does so again", async () => {
  const { fake, sent, signals } = fakeProcess(true);
  let isBusy = true;
  signals.take(() => {});
  signals.delayStop(() => isBusy);
  fake.emit("SIGTSTP");
  await new Promise(setImmediate);
  expect(sent).toEqual([]);
  // Without a listener, the system would stop the process for a second Ctrl-Z.
  expect(fake.emit("SIGTSTP")).toBe(true);
  isBusy = false;
  await expect.poll(() => sent).toEqual(["SIGTSTP"]);
  fake.emit("SIGTSTP");
  expect(sent).toEqual(["SIGTSTP", "SIGTSTP"]);
});

it("Ctrl-Z that waited while the signals were released stops the process, and the next one is left to the system", async () => {
  const { fake, sent, signals } = fakeProcess(true);
  let isBusy = true;
  signals.take(() => {});
  signals.delayStop(() => isBusy);
  fake.emit("SIGTSTP");
  signals.release();
  isBusy = false;
  await expect.poll(() => sent).toEqual(["SIGTSTP"]);
  expect(fake.listenerCount("SIGTSTP")).toBe(0);
});

describe("released signals", () => {
  it.each([true, false])("end the process only on a terminal: %s", (isTTY) => {
    const { fake, signals } = fakeProcess(isTTY);
    signals.take(() => {});
    signals.release();
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGTSTP"]) expect(fake.listenerCount(name)).toBe(isTTY ? 0 : 1);
  });
});

describe("a signal is repeated", () => {
  it.each([
    [true, "SIGINT", ["SIGINT"]],
    [true, "SIGTERM", []],
    [true, "SIGHUP", []],
    [true, undefined, []],
    [false, "SIGINT", []],
  ])("on a terminal: %s, received: %s", (isTTY, received, expected) => {
    const { fake, sent, signals } = fakeProcess(isTTY);
    let handled = 0;
    signals.take(() => (handled += 1));
    if (received) fake.emit(received, received);
    signals.repeat();
    expect({ sent, handled }).toEqual({ sent: expected, handled: received ? 1 : 0 });
  });
});
