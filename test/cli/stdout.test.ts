import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "../../src/cli/terminal/standard-output.ts");
const text = "grün 東京 🎈 ".repeat(60_000);
const writer = `import { writeOut } from ${JSON.stringify(source)};
await writeOut(${JSON.stringify("grün 東京 🎈 ")}.repeat(60_000), () => process.stdout);
await writeOut("end", () => process.stdout);`;

it("writes all of it, characters whole", () => {
  const found = execFileSync(process.execPath, ["--input-type=module", "-e", writer], { maxBuffer: 1e8 });
  expect(found.toString() === `${text}end`).toBe(true);
});

it("waits where stdout cannot take more at once", async () => {
  // Opening the stream first makes a pipe non-blocking, as another program can that has it, too.
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", `process.stdout._handle.setBlocking(false);${writer}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "readable");
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  expect(Buffer.concat(chunks).toString() === `${text}end`).toBe(true);
});
