import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin, useHome } from "./support.ts";

const home = useHome();
const source = join(import.meta.dirname, "../../src/cli/terminal/standard-output.ts");
const text = "grün 東京 🎈 ".repeat(60_000);
const writer = `import { writeOut } from ${JSON.stringify(source)};
await writeOut(${JSON.stringify("grün 東京 🎈 ")}.repeat(60_000), () => process.stdout);
await writeOut("end", () => process.stdout);`;

it("stdout gets the whole text, with no character split", () => {
  const found = execFileSync(process.execPath, ["--input-type=module", "-e", writer], { maxBuffer: 1e8 });
  expect(found.toString() === `${text}end`).toBe(true);
});

it("a write waits when stdout cannot take more at once", async () => {
  // Opening the stream first makes the pipe non-blocking, as another program that shares it can.
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", `process.stdout._handle.setBlocking(false);${writer}`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "readable");
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  expect(Buffer.concat(chunks).toString() === `${text}end`).toBe(true);
});

const shell = (line: string) =>
  spawnSync("sh", ["-c", `${line}; exit $?`], {
    encoding: "utf8",
    env: { ...process.env, WCS: `${process.execPath} ${bin}` },
  });

it("a discarded or closed stdout is no error", () => {
  for (const line of ["$WCS --help > /dev/null", "$WCS --help >&-"]) expect(shell(line).status).toBe(0);
  expect(spawnSync(process.execPath, [bin, "--help"], { stdio: "ignore" }).status).toBe(0);
});

describe.skipIf(process.platform !== "linux")("the output of a change", () => {
  const run = (line: string) => shell(`WCS_CONFIG_DIR=${home().path("config")} ${line}`);
  const names = async () =>
    JSON.parse((await home().wcs(["tokens", "list", "--json"])).stdout).map(({ name }: { name: string }) => name);

  it("is lost on a full disk: the error says that the change was made", async () => {
    const create = run("$WCS tokens create --name full --scopes read > /dev/full");
    expect([create.status, create.stderr]).toEqual([
      1,
      "error: The change was made, but its output could not be written. The disk is full.\nhint: Check what it changed before you run the command again.\n",
    ]);
    expect(await names()).toContain("full");
    const others = ["tokens list", "tokens create --name other --scopes read --dry-run"];
    for (const line of others) expect(run(`$WCS ${line} > /dev/full`).stderr).toMatch(/^error: The disk is full/);
    expect(await names()).not.toContain("other");
  });
});

it.skipIf(process.platform === "win32")(
  "a pipe that nobody reads any more, given by its name, ends an export silently",
  () => {
    const fifo = home().path("pipe");
    for (const line of [`export ${fifo}`, `users export ${fifo}`]) {
      const run = shell(
        `rm -f ${fifo}; mkfifo ${fifo}; : < ${fifo} & WCS_CONFIG_DIR=${home().path("config")} $WCS ${line}`,
      );
      expect([run.status, run.stderr]).toEqual([0, ""]);
    }
  },
);
