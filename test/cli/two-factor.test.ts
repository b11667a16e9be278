import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { totpCode, wrongTotpCode } from "../support/second-factor.ts";
import { start, useHome } from "./support.ts";

const password = "a very long horse";
const ada = ["--username", "ada@example.com"];
const now = () => Math.floor(Date.now() / 1000);

const home = useHome();
let secret: string;
let unused: string[];

/** Runs a command that succeeds, and returns what it prints. */
async function run(args: readonly string[], stdin = ""): Promise<string> {
  const { code, stdout, stderr } = await home().wcs(args, { stdin });
  expect(code, stderr).toBe(0);
  return stdout;
}

async function enrol(): Promise<void> {
  const begun = JSON.parse(await run(["api", "POST", "/two-factor", "--input", "-"], JSON.stringify({ password })));
  secret = begun.secret;
  const body = JSON.stringify({ code: totpCode(secret, now()) });
  unused = JSON.parse(await run(["api", "POST", "/two-factor/confirm", "--input", "-"], body)).recovery_codes;
}

const login = (...args: readonly string[]) => ["auth", "login", ...ada, ...args];

beforeAll(async () => {
  await run(["users", "password", "1", "--password-stdin"], password);
  await run(login("--password-stdin"), password);
  await enrol();
});

it("auth login without a terminal says that a code is needed and how to pass it", async () => {
  const { code, stderr } = await home().wcs(login("--password-stdin"), { stdin: password });
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("Pass the code with --otp-stdin.") });
  const json = await home().wcs([...login("--password-stdin"), "--json"], { stdin: password });
  expect(JSON.parse(json.stderr).error.code).toBe("otp_required");
});

it("a batch in which a login needs a code ends, and its hint is about the login", async () => {
  const file = home().path("batch-password.txt");
  writeFileSync(file, `${password}\n`);
  const line = ["batch", "-", "--", "auth", "login", "--username", "{name}", "--password-file", file];
  const { code, stderr } = await home().wcs(line, { stdin: "name\nada@example.com\n" });
  expect(code).toBe(4);
  expect(stderr).toMatch(/^error: Stopped at line 2: [^.]*\.\nhint: Sign in with wcs auth login\.\n$/);
});

it("auth login reads the code from the line after the password, or from the first line", async () => {
  await run(login("--password-stdin", "--otp-stdin"), `${password}\n${unused.pop()}\n`);
  const file = home().path("password.txt");
  writeFileSync(file, `${password}\n`);
  await run(login("--password-file", file, "--otp-stdin"), `${unused.pop()}\n`);
  const missing = await home().wcs(login("--password-stdin", "--otp-stdin"), { stdin: `${password}\n` });
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("no line with a code") });
  const wrong = await home().wcs(login("--password-stdin", "--otp-stdin"), { stdin: `${password}\nguess\n` });
  expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining("The code is wrong") });
});

it("auth login with a code is not repeated while another process writes: the first attempt may have used the code up", async () => {
  const other = new DatabaseSync(home().path("data/wcs/wcs.db"));
  other.exec("begin immediate");
  const stdin = `${password}\n${unused[0]}\n`;
  const { code, stderr } = await home().wcs(login("--password-stdin", "--otp-stdin", "--timeout", "1h"), { stdin });
  other.close();
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining("The database is busy; try again.") });
});

it("auth login asks for the code on a terminal, until it is right", async () => {
  const answers = [password, wrongTotpCode(secret, now()), totpCode(secret, now() + 30)];
  const { code, stderr } = await home().sit(login(), { answers });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Signed in to") });
  expect(stderr).toContain("? Code of your authenticator app, or a recovery code:\nThe code is wrong");
  const other = await home().sit(login(), { answers: ["wrong"] });
  expect(other, "a wrong password asks for no code").toMatchObject({ code: 4 });
});

it("WCS_USERNAME and WCS_PASSWORD say that they are not enough", async () => {
  const env = { WCS_TOKEN: "", WCS_USERNAME: "ada@example.com", WCS_PASSWORD: password };
  const { code, stderr } = await home().wcs(["users", "list"], { env });
  expect(code).toBe(4);
  expect(stderr).toContain("this user also needs a code");
  expect(stderr).toContain("API token in WCS_TOKEN");
});

it("auth 2fa status, recovery-codes and disable", async () => {
  const shown = JSON.parse(await run(["auth", "2fa", "status", "--json"]));
  expect(shown).toMatchObject({ enabled: true, recovery_codes_left: unused.length, required: false });
  const refused = await home().wcs(["auth", "2fa", "recovery-codes", "--yes"]);
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("--password-stdin") });
  const seat = { answers: ["y", password], screen: { width: 80, height: 24 } };
  const replaced = await home().sit(["auth", "2fa", "recovery-codes"], seat);
  expect(replaced.stdout).toMatch(/^([0-9a-z-]{23}\n){10}$/);
  const [first = "", second = ""] = replaced.stdout.split("\n");
  const json = await run(["auth", "2fa", "recovery-codes", "--yes", "--otp-stdin", "--json"], first);
  expect(JSON.parse(json).recovery_codes).toHaveLength(10);
  const used = await home().wcs(["auth", "2fa", "disable", "--yes", "--otp-stdin"], { stdin: second });
  expect(used).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("--otp-stdin is wrong, has expired or was used"),
  });
  const off = await home().sit(["auth", "2fa", "disable"], { answers: ["y", password] });
  expect(off).toMatchObject({ code: 0, stderr: expect.stringContaining("Switched off the second factor.") });
  await run(login("--password-stdin"), password);
  await enrol();
});

it("users reset-2fa: the owner of the database gets an administrator in who has lost everything", async () => {
  const own = await home().wcs(["users", "reset-2fa", "me", "--yes"]);
  expect(own).toMatchObject({ code: 5, stderr: expect.stringContaining("wcs auth 2fa disable") });
  expect((await home().wcs(["users", "reset-2fa", "1"])).code).toBe(2);
  await run(["users", "reset-2fa", "ada@example.com", "--yes", "--as", "1"]);
  const again = await home().wcs(["users", "reset-2fa", "1", "--yes", "--as", "1"]);
  expect(again).toMatchObject({ code: 0, stderr: "User 1 has no second factor now.\n" });
  await run(login("--password-stdin"), password);
  await enrol();
});

it("settings set requires two factors of administrators, and the refusal names the command", async () => {
  const email = ["--first-name", "Bo", "--last-name", "Lee", "--email", "bo@example.com", "--unit", "1"];
  await run(["users", "create", ...email, "--data", '{"admin": true}']);
  await run(["settings", "set", "two_factor.required_for_administrators", "true"]);
  const token = JSON.parse(await run(["api", "POST", "/renew", "--as", "bo@example.com"]))[0].jwt;
  const { code, stderr } = await home().wcs(["users", "list"], { env: { WCS_TOKEN: token } });
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining("wcs auth 2fa enable") });
  await run(["settings", "set", "two_factor.required_for_administrators", "false"]);
});

it("auth 2fa enable needs a terminal", async () => {
  const { code, stderr } = await home().wcs(["auth", "2fa", "enable"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("wcs api POST /two-factor") });
});

it("secrets and codes are not in the log of the server, not in the audit log, and not in what --verbose prints", async () => {
  const log: string[] = [];
  const server = start(["serve", "--port", "0", "--log-level", "debug"], home().env);
  onTestFinished(() => void server.kill("SIGKILL"));
  server.stderr!.on("data", (chunk) => log.push(String(chunk)));
  const [line] = (await once(server.stdout!, "data")) as [Buffer];
  const url = ["--url", String(line).trim()];
  const codes: string[] = [];
  for (const target of [[], url]) {
    const before = secret;
    const recovery = unused.pop()!;
    const stdin = `${password}\n${recovery}\n`;
    const signedIn = await home().wcs([...login("--password-stdin", "--otp-stdin"), "--verbose", ...target], { stdin });
    expect(signedIn.code, signedIn.stderr).toBe(0);
    const replaced = await home().wcs(
      ["auth", "2fa", "recovery-codes", "--yes", "--password-stdin", "--json", "--verbose", ...target],
      { stdin: password },
    );
    unused = JSON.parse(replaced.stdout).recovery_codes;
    codes.push(before, recovery, ...unused);
    log.push(
      signedIn.stdout,
      signedIn.stderr,
      replaced.stderr,
      await run(["audit", "list", "--all", "--json", ...target]),
    );
  }
  await expect.poll(() => log.join("\n")).toContain("/two-factor/recovery-codes");
  const printed = log.join("\n");
  expect(printed).toContain("auth.twoFactorRecoveryCodes");
  expect([...codes, password].filter((text) => printed.includes(text))).toEqual([]);
  const config = readFileSync(home().path("config/config.json"), "utf8");
  expect([...codes, password].filter((text) => config.includes(text))).toEqual([]);
});
