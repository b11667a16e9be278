import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { useWorld } from "../support/actors.ts";
import { sqliteHttp } from "../support/instance.ts";

const world = useWorld(sqliteHttp);
const root = join(import.meta.dirname, "../..");

/** Runs an example as the administrator. */
async function run(name: string, ...args: string[]) {
  const { instance } = world();
  const env = { PATH: process.env.PATH, WCS_URL: instance.url, WCS_TOKEN: await instance.tokenOf(1) };
  const file = join(root, "examples/client", name);
  return promisify(execFile)(process.execPath, [file, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe("examples", () => {
  it("birthday-list.ts prints birthdays", async () => {
    const today = new Date(world().instance.now() * 1000).toISOString().slice(5, 10);
    const { name } = await world().addUser({ birthday: `1990-${today === "02-29" ? "03-01" : today}` });
    const { stdout } = await run("birthday-list.ts");
    expect(stdout).toContain(`  ${name}\n`);
  });

  it("add-user.ts adds a user, and names wrong fields", async () => {
    const person = ["grace@example.com", "Grace", "Hopper"];
    const added = await run("add-user.ts", "Harbour", ...person);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Added user \d+ to Harbour\.\n$/) });
    const again = await run("add-user.ts", "Harbour", ...person);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(/^\w+: .+\n$/);
  });

  it("every example has a test", () => {
    const tested = [...readFileSync(import.meta.filename, "utf8").matchAll(/run\("([\w-]+\.ts)"/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(tested)].toSorted()).toEqual(readdirSync(join(root, "examples/client")).toSorted());
  });
});
