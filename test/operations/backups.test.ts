import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { bin, finished, useHome } from "../cli/support.ts";
import { example, filledIn, manual } from "./support.ts";

const home = useHome();
const hasJq = spawnSync("jq", ["--version"]).error === undefined;
const database = () => `${home().env.XDG_DATA_HOME}/wcs/wcs.db`;

const key = () => home().path("secret.key");
beforeAll(async () => {
  writeFileSync(key(), Buffer.alloc(32, 5).toString("base64"), { mode: 0o600 });
  expect((await home().wcs(["db", "rekey", "--new-key-file", key()])).code).toBe(0);
});

/** Runs a script with a program `wcs` on the path. */
function run(script: string, given: Record<string, string> = {}) {
  mkdirSync(home().path("bin"), { recursive: true });
  writeFileSync(home().path("bin/wcs"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(home().path("bin/wcs"), 0o755);
  const env = { ...home().env, ...given, PATH: `${home().path("bin")}${delimiter}${home().env.PATH}` };
  return finished(spawn("bash", ["-e", "-c", script], { cwd: home().folder, env, stdio: "pipe" }));
}

it("the backup of the unit, and the restore drill of the manual, work with an encrypted database", async () => {
  const folder = home().path("backups");
  mkdirSync(folder);
  const [, command = ""] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(example("wcs-backup.service")) ?? [];
  const made = await run(filledIn(command, { "/var/backups/wcs": folder, "/var/lib/wcs/wcs.db": database() }));
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("Saved ") });
  expect(readdirSync(folder)).toHaveLength(1);

  const [, drill = ""] = /### Restore drill\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(manual()) ?? [];
  const script = filledIn(drill, {
    "/etc/wcs/secret.key": key(),
    "/var/backups/wcs": folder,
    "/tmp/wcs-drill": home().path("drill"),
  });
  const { code, stdout, stderr } = await run(script);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain("ada@example.com");
  expect(existsSync(home().path("drill"))).toBe(false);
});

it("the restore drill fails for a damaged backup", async () => {
  const folder = home().path("damaged");
  mkdirSync(folder);
  writeFileSync(`${folder}/wcs-20260101T000000Z.db`, "no database");
  const [, drill = ""] = /### Restore drill\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(manual()) ?? [];
  const script = filledIn(drill, { "/var/backups/wcs": folder, "/tmp/wcs-drill": home().path("drill") });
  expect((await run(script)).code).toBe(7);
});

it.skipIf(!hasJq)(
  "the only administrator gets a new password without the old one by the manual (needs jq)",
  async () => {
    const set = (password: string) =>
      home().wcs(["users", "password", "1"], { env: { WCS_PASSWORD: password, WCS_SECRET_KEY_FILE: key() } });
    expect((await set("correct horse battery")).code).toBe(0);
    expect((await set("correct horse battery 2")).stderr).toContain("--current-stdin is required");
    const [, commands = ""] = /When no administrator can sign in[\s\S]*?```sh\n([\s\S]*?)```/.exec(manual()) ?? [];
    const script = filledIn(commands, { "/etc/wcs/secret.key": key(), "/var/lib/wcs/wcs.db": database() });
    const { code, stderr } = await run(script, { WCS_PASSWORD: "correct horse battery 3" });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Set the password of user 1") });
  },
);

it("systemd accepts the units", ({ skip }) => {
  if (spawnSync("systemd-analyze", ["--version"]).status !== 0) skip("systemd-analyze is missing.");
  const folder = home().path("units");
  mkdirSync(folder);
  // The program is not installed here.
  for (const name of ["wcs-backup.service", "wcs-backup.timer"])
    writeFileSync(`${folder}/${name}`, example(name).replace("/usr/bin/wcs", "/bin/true"));
  const { status, stderr } = spawnSync(
    "systemd-analyze",
    ["verify", `${folder}/wcs-backup.timer`, `${folder}/wcs-backup.service`],
    { encoding: "utf8" },
  );
  rmSync(folder, { recursive: true });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
