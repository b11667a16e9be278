import { copyFileSync, renameSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { units } from "../../src/contract/units.ts";
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
    expect(await create()).toMatchObject(refused);
    await expect.poll(read).toMatchObject(refused);
    await expect.poll(readiness).toBe(503);
  });
}

it("a database file that is moved and moved back: the service goes on", async () => {
  renameSync(instance.target, `${instance.target}-moved`);
  expect(await create()).toMatchObject(refused);
  await expect.poll(read).toMatchObject(refused);
  renameSync(`${instance.target}-moved`, instance.target);
  expect(await create()).toBe("none");
  expect(await read()).toBe("none");
  await expect.poll(readiness).toBe(200);
});
