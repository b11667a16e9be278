import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CommandEntry, isGroup, isOperation } from "../../src/cli/kit/command-spec.ts";
import { findCommand } from "../../src/cli/kit/router.ts";
import { registry } from "../../src/cli/registry.ts";
import { fieldsOf } from "../../src/contract/field-spec.ts";
import { useHome } from "./support.ts";

const home = useHome();
/** Flags that act as the owner of the database. */
const local = ["--profile", "local"];
const secret = "a very secret horse";

it("no secret is the value of a flag, in any command", async () => {
  const wrong: string[] = [];
  const walk = async (path: string[], entry: CommandEntry): Promise<void> => {
    if (isGroup(entry)) for (const [name, child] of Object.entries(entry.commands)) await walk([...path, name], child);
    else if (isOperation(entry)) {
      for (const field of fieldsOf(entry.op).filter((candidate) => candidate.secret)) {
        const name = field.name.replaceAll("_", "-");
        const { code, stderr } = await home().sit([...path, `--${name}`, secret, "--no-input"]);
        if (code !== 2 || stderr.includes(secret) || !/Unknown option|Missing/.test(stderr))
          wrong.push(`${path.join(" ")} --${name}`);
      }
    } else {
      for (const { flags } of entry.flags ?? [])
        if (/(password|secret|token)\b[^-]*</.test(flags)) wrong.push(`${path.join(" ")} ${flags}`);
    }
  };
  for (const [name, { load }] of Object.entries(registry)) await walk([name], await load());
  expect(wrong).toEqual([]);
  expect(await findCommand(registry, ["users", "password"])).toMatchObject({ path: ["users", "password"] });
});

describe("a password", () => {
  const login = ["auth", "login", "--username", "bo@example.com", "--db"];
  const database = () => home().path("data/wcs/wcs.db");

  it("comes from stdin, a file, the environment or a prompt", async () => {
    const bo = ["--first-name", "Bo", "--last-name", "Low", "--email", "bo@example.com", "--unit", "1"];
    await home().sit(["users", "create", ...bo, ...local]);
    const file = home().path("password.txt");
    writeFileSync(file, `${secret}\n`);
    const ways = [
      () => home().sit(["users", "password", "2", "--password-stdin", ...local], { stdin: `${secret}\n` }),
      () => home().sit(["users", "password", "2", "--password-file", file, ...local]),
      () => home().sit(["users", "password", "2", ...local], { env: { WCS_PASSWORD: secret } }),
      () => home().sit(["users", "password", "2", ...local], { answers: [secret, secret] }),
      () =>
        home().sit(["users", "password", "2", "--data", "-", ...local], {
          stdin: JSON.stringify({ password: secret }),
        }),
    ];
    for (const way of ways) {
      expect(await way()).toMatchObject({ code: 0, stdout: "" });
      const result = await home().sit([...login, database(), "--profile", "check", "--password-stdin"], {
        stdin: secret,
      });
      expect(result.code, result.stderr).toBe(0);
    }
  });

  it("of another user replaces the login of a profile, and says so", async () => {
    await home().sit(["users", "password", "1", "--password-stdin", ...local], { stdin: secret });
    const ada = ["auth", "login", "--username", "ada@example.com", "--db", database(), "--password-stdin"];
    const said = async (...profile: string[]) =>
      (await home().sit([...ada, "--profile", ...profile], { stdin: secret })).stderr.split("\n").slice(1);
    expect(await said("check")).toEqual([
      "This replaced the login of bo@example.com. Use --profile NAME to keep both.",
      "",
    ]);
    expect(await said("check")).toEqual([""]);
    expect(await said("new")).toEqual([""]);
    await home().sit(["profile", "remove", "new", "--yes"]);
  });

  it("of several lines is refused, because no prompt can take it", async () => {
    const file = home().path("lines.txt");
    writeFileSync(file, `${secret}\nand more\n`);
    const stdin = readFileSync(file, "utf8");
    const has = "has 2 lines, and a secret is one line";
    for (const [line, stderr] of [
      [["users", "password", "2", ...local, "--password-stdin"], `error: --password-stdin: stdin ${has}.\n`],
      [["users", "password", "2", ...local, "--password-file", file], `error: --password-file: ${file} ${has}.\n`],
      [[...login, database(), "--password-stdin"], `error: --password-stdin: stdin ${has}.\n`],
      [[...login, database(), "--password-file", file], `error: --password-file: ${file} ${has}.\n`],
    ] as const)
      expect(await home().sit(line, { stdin })).toMatchObject({ code: 2, stderr });
  });

  it("that is too short is an error that names its flag, if any", async () => {
    const file = home().path("short.txt");
    writeFileSync(file, "short\n");
    const json = JSON.stringify({ password: "short" });
    for (const [given, seat, name] of [
      [["--password-stdin"], { stdin: "short" }, "--password-stdin"],
      [["--password-file", file], {}, "--password-file"],
      [["--data", "-"], { stdin: json }, "password in --data"],
      [[], { answers: ["short", "short"] }, "password"],
    ] as const) {
      const { code, stderr } = await home().sit(["users", "password", "2", ...given, ...local], seat);
      expect([code, stderr]).toEqual([3, expect.stringContaining(`error: ${name} must have at least 8 characters.\n`)]);
    }
  });

  it("that is mistyped the second time is asked for again", async () => {
    const mistyped = await home().sit(["users", "password", "2", ...local], {
      answers: [secret, "another horse", secret, "^C"],
    });
    expect(mistyped).toMatchObject({ code: 130, stderr: expect.stringContaining("The passwords do not match.") });
  });

  it("in --data on the command line is refused, and not repeated", async () => {
    const { code, stderr } = await home().sit([
      "users",
      "password",
      "2",
      "--data",
      JSON.stringify({ password: secret }),
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/Password must not be passed on the command line/i);
    expect(stderr).not.toContain(secret);
  });

  it("in the environment is not given to a new user", async () => {
    const user = "users create --first-name Cy --last-name New --email cy@example.com --unit 1".split(" ");
    expect((await home().sit([...user, ...local], { env: { WCS_PASSWORD: secret } })).code).toBe(0);
    const { code } = await home().sit(
      ["auth", "login", "--username", "cy@example.com", "--db", database(), "--password-stdin"],
      { stdin: secret },
    );
    expect(code).toBe(4);
  });

  it("and a token are never shown: neither by -v nor in errors, and in the configuration only in their field", async () => {
    const wrong = "a wrong secret horse";
    const failed = await home().sit([...login, database(), "--password-stdin", "-v"], { stdin: wrong });
    expect(failed.code).toBe(4);
    expect(failed.stderr).not.toContain(wrong);
    await home().sit([...login, database(), "--profile", "check", "--password-stdin"], { stdin: secret });
    const { token } = JSON.parse(readFileSync(home().path("config/config.json"), "utf8")).profiles.check;
    for (const line of [
      "profile show check --json",
      "profile list",
      "auth status --profile check --json",
      "users list -v --profile check",
    ]) {
      const result = await home().sit(line.split(" "));
      expect(result.code, line).toBe(0);
      expect(result.stdout + result.stderr).not.toContain(token);
      expect(result.stdout + result.stderr).not.toContain(token.split(".")[2]);
    }
    const sent = await home().sit(["users", "list", "-v", "--url", "http://127.0.0.1:1"], {
      env: { WCS_TOKEN: token },
    });
    expect(sent.code).toBe(8);
    expect(sent.stderr).not.toContain(token);
  });

  it("of the signed-in user is changed with the current one, which is asked for when it is needed", async () => {
    const signedIn = ["--profile", "check"];
    const without = await home().sit(["users", "password", "me", "--password-stdin", ...signedIn], {
      stdin: "another long horse",
    });
    expect(without.code).toBe(3);
    expect(without.stderr).toContain("--current-stdin");
    const asked = await home().sit(["users", "password", "me", ...signedIn], {
      answers: ["another long horse", "another long horse", secret],
    });
    expect(asked.code, asked.stderr).toBe(0);
    expect((await home().sit(["users", "list", ...signedIn])).code).toBe(4);
  });
});

it("a secret setting comes from a file or stdin, and is shown only as set", async () => {
  const url = "smtp://user:hunter22@mail.example.com:587";
  const refused = await home().sit(["settings", "set", "mail.smtp_url", url]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).not.toContain("hunter22");
  const { code, stdout } = await home().sit(["settings", "set", "mail.smtp_url", "--value-stdin", ...local], {
    stdin: url,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "set\n" });
});
