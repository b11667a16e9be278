import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { sqliteHttp, sqliteLocal } from "../support/instance.ts";
import { newPlace, type Place } from "./places.ts";
import { finished, type Result, start } from "./support.ts";

let place: Place;
afterEach(() => place.close());

const rows = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, at) => `stop-${from + at},Stop,No${from + at},stop${from + at}@example.com,root\n`,
  );
const header = "reference,first_name,last_name,email,unit\n";

/** An import of stdin of which the first thousand rows are in, and which waits for more. */
async function halfway(...more: string[]): Promise<{ child: ChildProcess; result: Promise<Result> }> {
  const args = ["users", "import", "-", "--results", place.home.path("results.csv"), ...more, ...place.args];
  const child = start(args, { ...place.home.env, ...place.env });
  const result = finished(child);
  child.stdin?.write(header + rows(0, 1500).join(""));
  await until(child, () => results() >= 1001);
  return { child, result };
}

/** Waits for something that the import does, as long as it runs. */
async function until(child: ChildProcess, holds: () => boolean): Promise<void> {
  while (!holds()) {
    if (child.exitCode !== null) throw new Error("the import ended early");
    // Leaves the processor to the import between two looks.
    await sleep(20);
  }
}

/** Counts the lines of the file with the results, which has another name until the end. */
function results(): number {
  const { folder } = place.home;
  const name = readdirSync(folder).find((each) => each.includes("results.csv"));
  return name === undefined ? 0 : readFileSync(join(folder, name), "utf8").split("\n").length - 1;
}

async function users(): Promise<number> {
  const { stdout } = await place.home.wcs(["users", "list", "--all", "-o", "csv", "--fields", "id", ...place.local]);
  return stdout.trimEnd().split("\n").length - 1;
}

const takeRest = async () =>
  (await place.wcs(["users", "import", "-"], { stdin: header + rows(0, 1500).join("") })).stderr;

it("import stops at Ctrl-C and says what was imported, and the same command imports the rest", async () => {
  place = await newPlace(sqliteLocal);
  const { child, result } = await halfway();
  child.kill("SIGINT");
  expect(await result).toEqual({
    code: 130,
    signal: null,
    stdout: "",
    stderr:
      "created 1000, changed 0, unchanged 0, skipped 0; the rest of stdin was not imported\n" +
      "The imported rows are kept. Run the same command again to import the rest.\n",
  });
  expect(readFileSync(place.home.path("results.csv"), "utf8").trimEnd().split("\n")).toHaveLength(1001);
  expect(await takeRest()).toBe("created 500, changed 0, unchanged 1000, skipped 0\n");
});

it("import leaves nothing behind after Ctrl-C before the first row", async () => {
  place = await newPlace(sqliteLocal);
  const args = ["users", "import", "-", "--strict", "--results", place.home.path("results.csv"), ...place.args];
  const child = start(args, place.home.env);
  const result = finished(child);
  child.stdin?.write(header + rows(0, 10).join(""));
  await until(child, spooled);
  child.kill("SIGINT");
  expect(await result).toEqual({ code: 130, signal: null, stdout: "", stderr: "" });
  expect(spooled()).toBe(false);
  expect(readdirSync(place.home.folder).filter((name) => name.includes("results"))).toEqual([]);
});

const spooled = () => readdirSync(place.home.env.TMPDIR!).some((name) => name.startsWith("wcs-import-"));

it("import exits with 8 when the server stops, and says what was imported and how to continue", async () => {
  place = await newPlace(sqliteHttp);
  const { child, result } = await halfway();
  place.kill();
  child.stdin?.end();
  const { code, stderr } = await result;
  expect(code).toBe(8);
  const [summary, next, error] = stderr.split("\n");
  expect(summary).toBe("created 1000, changed 0, unchanged 0, skipped 0; the rest of stdin was not imported");
  expect(next).toBe("The imported rows are kept. Run the same command again to import the rest.");
  expect(error).toMatch(/^error: http:\/\/127\.0\.0\.1:\d+ /);
  expect(await users()).toBe(1001);
});
