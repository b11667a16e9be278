import { copyFileSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { units } from "../../src/contract/units.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { get, put } from "../store/support.ts";
import { type Instance, newInstance, sqliteLocal } from "../support/instance.ts";

let instance: Instance;
beforeEach(async () => {
  instance = await newInstance(sqliteLocal);
});
afterEach(() => instance.close());

const refused = {
  code: "unavailable",
  message: "The database file was deleted or replaced while it was open; restart the service.",
};
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error) => error,
  );
const create = () => failureOf(instance.administrator.call(units.create, { name: "Sales", parent: 1 }));
const read = () => failureOf(instance.administrator.call(units.get, { id: 1 }));
const readiness = async () => (await fetch(`${instance.url}/readyz`)).status;

const faults: Record<string, (path: string) => void> = {
  deleted: (path) => rmSync(path),
  replaced: (path) => {
    copyFileSync(path, `${path}-copy`);
    renameSync(`${path}-copy`, path);
  },
};

for (const [fault, cause] of Object.entries(faults)) {
  it(`a database file that is ${fault}: changes are refused at once, reads soon, and the service is not ready`, async () => {
    expect(await readiness()).toBe(200);
    cause(instance.target);
    const message = `${instance.target} is not the file that was opened. Changes are refused, because they would be lost.`;
    expect(await create()).toMatchObject({ ...refused, cause: { message } });
    await expect.poll(read).toMatchObject(refused);
    await expect.poll(readiness).toBe(503);
  });
}

it("a database file that is deleted: reads look for it once a second", async () => {
  const clock = vi.spyOn(process, "hrtime");
  onTestFinished(() => void clock.mockRestore());
  const [seconds, nanoseconds] = process.hrtime();
  const setClock = (milliseconds: number) =>
    clock.mockReturnValue([seconds + 1, nanoseconds + milliseconds * 1_000_000]);
  const database = await openDatabase(instance.target);
  const service = createService({ database });
  const readAt = async (milliseconds: number) => {
    // Reads of one turn look once.
    await turn();
    setClock(milliseconds);
    return failureOf(service.caller({ userId: 1 }).call(units.get, { id: 1 }));
  };
  expect(await readAt(5000)).toBe("none");
  rmSync(instance.target);
  expect(await readAt(6000)).toBe("none");
  expect(await readAt(6001)).toMatchObject(refused);
  await database.close();
});

it("the log of a database file that is replaced goes into the old file, not into the new one", async () => {
  const { target } = instance;
  const database = await openDatabase(target);
  const log = () => statSync(`${target}-wal`).size;
  copyFileSync(target, `${target}-copy`);
  // Earlier writes of another process do not matter.
  expect(await create()).toBe("none");
  await database.write((tx) => put(tx, "written", 1));
  expect(log()).toBeGreaterThan(0);
  linkSync(target, `${target}-old`);
  renameSync(`${target}-copy`, target);
  await database.close();
  expect(log()).toBe(0);
  const written = async (path: string) => {
    const opened = await openDatabase(path);
    return get(opened, "written").finally(() => opened.close());
  };
  expect([await written(`${target}-old`), await written(target)]).toEqual(["1", undefined]);
});

it("the log of a database file that is replaced keeps what a process has written to the new file", async () => {
  const { target } = instance;
  const replaced = await openDatabase(target);
  copyFileSync(target, `${target}-copy`);
  renameSync(`${target}-copy`, target);
  const next = await openDatabase(target);
  await next.write((tx) => put(tx, "new", 2));
  await replaced.close();
  expect(await get(next, "new")).toBe("2");
  await next.close();
});

it("a database file that is moved and moved back: the service goes on", async () => {
  renameSync(instance.target, `${instance.target}-moved`);
  expect(await create()).toMatchObject(refused);
  await expect.poll(read).toMatchObject(refused);
  renameSync(`${instance.target}-moved`, instance.target);
  expect(await create()).toBe("none");
  expect(await read()).toBe("none");
  await expect.poll(readiness).toBe(200);
});
