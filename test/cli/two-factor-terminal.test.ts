import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { totpCode } from "../support/second-factor.ts";
import { bin, useHome } from "./support.ts";

const password = "a very long horse";
const login = ["auth", "login", "--username", "ada@example.com"];
const home = useHome();

/** The `script` of util-linux, which runs a command on a pseudo-terminal. */
const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;

/** Runs wcs on a pseudo-terminal. Each answer is typed when the screen shows its question. */
async function onTerminal(args: readonly string[], answers: readonly [RegExp, (screen: string) => string][]) {
  const line = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qfec", line, "/dev/null"], { env: { ...home().env, TERM: "xterm" }, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const left = [...answers];
  let screen = "";
  let from = 0;
  // Portions may end within a character.
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    screen += chunk;
    const [question, answer] = left[0] ?? [];
    if (question === undefined || answer === undefined || !question.test(screen.slice(from))) return;
    left.shift();
    from = screen.length;
    child.stdin.write(`${answer(stripVTControlCharacters(screen))}\r`);
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, screen, text: stripVTControlCharacters(screen), left: left.length };
}

describe.skipIf(!hasTerminal)("on a terminal", () => {
  beforeAll(async () => {
    const set = await home().sit(["users", "password", "1", "--password-stdin"], { stdin: password });
    const signedIn = await home().sit([...login, "--password-stdin"], { stdin: password });
    if (set.code !== 0 || signedIn.code !== 0) throw new Error(set.stderr + signedIn.stderr);
  });

  it("auth 2fa enable shows a QR code and a secret, asks for a code and prints recovery codes; auth login takes one", async () => {
    const secretOn = (text: string) => /or enter: ([A-Z2-7 ]+)/.exec(text)?.[1]?.replaceAll(" ", "") ?? "";
    const enabled = await onTerminal(
      ["auth", "2fa", "enable"],
      [
        [/Password:/, () => password],
        [/Code that the app shows:/, () => "000 00"],
        [
          /The code is wrong[\s\S]*Code that the app shows:/,
          (text) => totpCode(secretOn(text), Math.floor(Date.now() / 1000)),
        ],
      ],
    );
    expect(enabled, enabled.text).toMatchObject({ code: 0, left: 0 });
    expect(secretOn(enabled.text)).toHaveLength(32);
    const drawn = enabled.text.split("\r\n").filter((each) => /^[█▀▄ ]{30,}$/.test(each));
    expect(drawn.length).toBeGreaterThan(15);
    expect(new Set(drawn.map((each) => each.length)).size, "as wide everywhere").toBe(1);
    expect(enabled.screen).toContain("\u001b[97;40m█");
    expect(enabled.text).not.toContain(password);
    const codes = enabled.text.match(/^[0-9a-z]{5}(-[0-9a-z]{5}){3}\r$/gm) ?? [];
    expect(codes).toHaveLength(10);
    const signedIn = await onTerminal(login, [
      [/Password:/, () => password],
      [/Code of your authenticator app, or a recovery code:/, () => codes[0]!.trim()],
    ]);
    expect(signedIn, signedIn.text).toMatchObject({ code: 0, left: 0 });
    expect(signedIn.text).toContain("Signed in to");
    const { stdout } = await home().sit(["auth", "2fa", "status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ enabled: true, recovery_codes_left: 9 });
  });
});
