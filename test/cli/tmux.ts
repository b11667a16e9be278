import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { bin } from "./support.ts";

export const hasTmux = spawnSync("sh", ["-c", "command -v tmux"]).status === 0;

/** A real terminal of a given size. Waits for text on the screen, not for fixed times. */
export interface TmuxTerminal {
  /** The text on the screen, with `colours` also the escape sequences of its styles, with `joined` without broken lines. */
  screen(options?: { colours?: boolean; joined?: boolean }): string;
  /** Types a line that runs wcs in a shell whose prompt is `READY>`. */
  run(line: string): void;
  keys(...keys: string[]): void;
  until(isDone: (screen: string) => boolean): Promise<string>;
  /** True while the cursor is visible. */
  hasCursor(): boolean;
  close(): void;
}

/** Milliseconds after which a missing text fails the test: before its timeout, so that the failure shows the screen. */
export const patience = 60_000;

let opened = 0;

/** Opens a terminal with a shell in which `wcs` is the program. */
export async function openTmux(
  env: Readonly<Record<string, string>>,
  { columns, rows = 24 }: { columns: number; rows?: number },
): Promise<TmuxTerminal> {
  opened += 1;
  const socket = `wcs-screen-${process.pid}-${opened}`;
  const tmux = (...args: string[]) => spawnSync("tmux", ["-L", socket, ...args], { encoding: "utf8" }).stdout;
  const screen: TmuxTerminal["screen"] = ({ colours = false, joined = false } = {}) =>
    tmux("capture-pane", "-p", ...(colours ? ["-e"] : []), ...(joined ? ["-J"] : []))
      // Joined lines keep their trailing spaces.
      .replaceAll(/ +$/gm, "")
      .trimEnd();
  const until: TmuxTerminal["until"] = async (isDone) => {
    for (const end = performance.now() + patience; performance.now() < end; ) {
      const text = screen();
      if (isDone(text)) return text;
      await pause(50);
    }
    throw new Error(`the screen still shows:\n${screen()}`);
  };
  const exported = Object.entries({ ...env, PATH: process.env.PATH ?? "", PS1: "READY> ", HISTFILE: "" });
  const shell = [
    "env",
    "-i",
    ...exported.map(([name, value]) => `${name}='${value}'`),
    "TERM=screen-256color",
    "bash --noprofile --norc -i",
  ];
  tmux("-f", "/dev/null", "new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, shell.join(" "));
  await until((text) => text.includes("READY>"));
  return {
    screen,
    run: (line) => {
      // The screen must not show the end of an earlier command.
      tmux("send-keys", "-R");
      tmux("send-keys", "-l", `clear; ${line.replaceAll("wcs ", `'${process.execPath}' '${bin}' `)}`);
      tmux("send-keys", "Enter");
    },
    keys: (...keys) => void tmux("send-keys", ...keys),
    until,
    hasCursor: () => tmux("display-message", "-p", "#{cursor_flag}").trim() === "1",
    close: () => void tmux("kill-server"),
  };
}
