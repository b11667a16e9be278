import { expect, it } from "vitest";
import { indexWords, messagesWithWords, unindexWords } from "../../src/store/message-words.ts";
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

it("A transaction that fails first in its group leaves nothing behind, and those that wait are kept", async () => {
  const { database } = open();
  const failing = database.write(async (tx) => {
    await put(tx, "failed", 1);
    throw new Error("failed");
  });
  const waiting = ["second", "third"].map((key) => database.write((tx) => put(tx, key, 1)));
  await expect(failing).rejects.toThrow("failed");
  await Promise.all(waiting);
  const seen = ["failed", "second", "third"].map((key) => get(database, key));
  expect(await Promise.all(seen)).toEqual([undefined, "1", "1"]);
});

it("Words of messages are indexed in order with the commit, and not if their transaction failed", async () => {
  const { database } = open();
  const message = (id: number) => ({ id, conversation_id: 1, position: id });
  const kept = database.write((tx) => indexWords(tx, message(1), ["soup"]));
  const failed = database
    .write(async (tx) => {
      await indexWords(tx, message(2), ["soup"]);
      throw new Error("failed");
    })
    .catch((error: Error) => error.message);
  const added = database.write((tx) => indexWords(tx, message(3), ["soup"]));
  const replaced = database.write(async (tx) => {
    await unindexWords(tx, 3);
    await indexWords(tx, message(3), ["bread"]);
  });
  expect(await Promise.all([kept, failed, added, replaced])).toEqual([undefined, "failed", undefined, undefined]);
  const search = { conversation: 1, after: 0, before: 10, newestFirst: false, limit: 10 };
  expect(await messagesWithWords(database.reader, { ...search, words: ["soup"] })).toEqual([1]);
  expect(await messagesWithWords(database.reader, { ...search, words: ["bread"] })).toEqual([3]);
});
