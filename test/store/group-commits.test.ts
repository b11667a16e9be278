import { expect, it } from "vitest";
import { get, put, useDatabase } from "./support.ts";

const open = useDatabase("sqlite");
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

it("A transaction that fails by what another one of its group wrote answers after that is committed", async () => {
  const { database } = open();
  const seen = [];
  for (let round = 0; round < 20; round++) {
    const key = `written ${round}`;
    const first = database.write((tx) => put(tx, key, 1));
    const failing = database
      .write(async (tx) => {
        throw new Error(`taken: ${await get({ reader: tx }, key)}`);
      })
      .catch(async (error: Error) => [error.message, await get(database, key)]);
    // Keeps the group open after the failure.
    const last = database.write(async (tx) => {
      await put(tx, `last ${round}`, 1);
      await turns(20);
    });
    seen.push(await failing);
    await Promise.all([first, last]);
  }
  expect(seen).toEqual(Array(20).fill(["taken: 1", "1"]));
});
