import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bin, finished, useHome } from "./support.ts";

/** A user without an entry in the list of users, as in a container. */
const user = { uid: 12_345, gid: 12_345 };

describe.skipIf(process.geteuid?.() !== 0)("a user without a home folder (needs root)", () => {
  const home = useHome({ database: false });
  const wcs = (args: readonly string[], env: Record<string, string> = {}) =>
    finished(spawn(process.execPath, [bin, ...args], { ...user, cwd: "/", env, stdio: "pipe" }), "");

  it("uses databases and reads no configuration; where one is needed, an error says what to set", async () => {
    chmodSync(home().folder, 0o755);
    const folder = home().path("own");
    mkdirSync(folder);
    chownSync(folder, user.uid, user.gid);
    const db = ["--db", `${folder}/wcs.db`];
    const init = ["init", ...db, "--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace"];
    const refused = {
      code: 2,
      stderr: "error: This user has no home folder.\nhint: Set WCS_CONFIG_DIR to a folder that you can write to.\n",
    };
    expect(await wcs(init)).toMatchObject(refused);
    expect(await wcs([...init, "--no-profile"])).toMatchObject({ code: 0 });
    expect(await wcs(["doctor", ...db])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("There is no configuration, because this user has no home folder."),
    });
    expect(await wcs(["users", "list"])).toMatchObject({ code: 2, stderr: expect.stringContaining("No target") });
    expect(await wcs(["profile", "add", "x", ...db])).toMatchObject(refused);
    expect(await wcs(["profile", "add", "x", ...db], { WCS_CONFIG_DIR: `${folder}/config` })).toMatchObject({
      code: 0,
    });
    const completion = await wcs(["completion", "install", "bash"]);
    expect(completion).toMatchObject({ code: 2, stderr: expect.stringContaining("hint: Set HOME.") });
    const refusedPort = await wcs(["users", "list", "--db", "postgres://wcs@127.0.0.1:1/wcs"]);
    expect(refusedPort).toMatchObject({ code: 8, stderr: expect.stringContaining("127.0.0.1:1/wcs") });
  });
});
