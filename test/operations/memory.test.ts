import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { useHome } from "../cli/support.ts";
import { password } from "../support/actors.ts";
import { serve } from "./support.ts";

const home = useHome();
const packaging = (path: string) => readFileSync(join(import.meta.dirname, "../../packaging", path), "utf8");
const setting = /\b(MALLOC_\w+)=(\d+)$/m;
const mebibyte = 1024;

/** Kibibytes that a server with the variables has taken after many sign-ins at once. */
async function memoryAfterSignIns(env: Record<string, string>): Promise<number> {
  const server = await serve(home(), ["--port", "0"], env);
  onTestFinished(() => void server.process.kill());
  const memory = () =>
    Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8"))?.[1]);
  const before = memory();
  const signIn = () =>
    fetch(`${server.url}/api/authenticate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "ada@example.com", password }),
    });
  const answers = await Promise.all(Array.from({ length: 12 }, signIn));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  return memory() - before;
}

it.skipIf(process.platform !== "linux")(
  "a server with the environment of the unit and the image gives the memory of password hashes back",
  async () => {
    const [, name = "", value = ""] = setting.exec(packaging("systemd/wcs.service")) ?? [];
    expect(setting.exec(packaging("docker/Dockerfile"))?.slice(1)).toEqual([name, value]);
    expect((await home().sit(["users", "password", "1", "--password-stdin"], { stdin: password })).code).toBe(0);
    expect(await memoryAfterSignIns({ [name]: value })).toBeLessThan(40 * mebibyte);
  },
);
