import { expect, it, onTestFinished, vi } from "vitest";
import { Attempt } from "../../src/delivery/webhooks/attempt.ts";
import { createSender } from "../../src/delivery/webhooks/send-callback.ts";
import { receiverOfTest } from "../support/receiver.ts";

it("an attempt whose time ended before the connection was made sends nothing later", async () => {
  const receiver = await receiverOfTest();
  const { promise, resolve: answerLookups } = Promise.withResolvers<[{ address: string; family: number }]>();
  const sender = await createSender({
    settings: { "webhooks.allow_private": true },
    resolve: () => promise,
    clock: Date.now,
  });
  const url = `http://late.example:${receiver.port}`;
  const late = await sender.send({ url: `${url}/late`, headers: {}, body: "{}", timeout: 10 });
  expect(late).toMatchObject({ status: "timeout", error: "There was no answer within 0.01 seconds." });

  answerLookups([{ address: "127.0.0.1", family: 4 }]);
  const next = await sender.send({ url: `${url}/next`, headers: {}, body: "{}", timeout: 60_000 });
  expect(next).toMatchObject({ status: "200" });
  // Closing waits for all requests that were sent.
  await sender.close();
  expect(receiver.received.map(({ path }) => path)).toEqual(["/next"]);
  await receiver.close();
});

it("an attempt that was answered leaves neither its timer nor itself behind", async () => {
  const receiver = await receiverOfTest();
  const sender = await createSender({ settings: { "webhooks.allow_private": true }, clock: Date.now });
  const timers = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  const cut = vi.spyOn(Attempt.prototype, "cut");
  onTestFinished(() => {
    for (const spy of [timers, cleared, cut]) spy.mockRestore();
  });
  expect(await sender.send({ url: receiver.url, headers: {}, body: "{}", timeout: 600_000 })).toMatchObject({
    status: "200",
  });
  const at = timers.mock.calls.findIndex(([, milliseconds]) => milliseconds === 600_000);
  expect(cleared).toHaveBeenCalledWith(timers.mock.results[at]?.value);
  sender.cut();
  expect(cut).not.toHaveBeenCalled();
  await sender.close();
  await receiver.close();
});

it("an answer of which 64 KiB were read is read no further: its connection is closed while the sender goes on", async () => {
  const receiver = await receiverOfTest();
  let closed = false;
  receiver.answer = (_, response) => {
    response.on("close", () => {
      closed = true;
    });
    response.write("x".repeat(65_536));
  };
  const sender = await createSender({ settings: { "webhooks.allow_private": true }, clock: Date.now });
  const answer = await sender.send({ url: receiver.url, headers: {}, body: "{}", timeout: 600_000 });
  expect(answer).toMatchObject({ status: "200" });
  await expect.poll(() => closed).toBe(true);
  await sender.close();
  await receiver.close();
});

it("an address that cannot be read is a failed attempt, not an exception", async () => {
  const sender = await createSender({ settings: { "webhooks.allow_private": true }, clock: Date.now });
  const attempt = await sender.send({ url: "http://[", headers: {}, body: "{}", timeout: 60_000 });
  expect(attempt).toMatchObject({ error: expect.stringContaining("ERR_INVALID_URL") });
  await sender.close();
});

it("a sender whose attempts were cut closes while names are still looked up", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const resolve = () => {
    ask();
    return new Promise<never>(() => {});
  };
  const sender = await createSender({ settings: { "webhooks.allow_private": true }, resolve, clock: Date.now });
  const sent = sender.send({ url: "http://hangs.example/", headers: {}, body: "{}", timeout: 60_000 });
  await asked;
  sender.cut();
  expect(await sent).toMatchObject({ status: "timeout", response: null });
  // Connections give up after a minute.
  const gaveUp = new Promise((done) => setTimeout(done, 30_000, "open").unref());
  expect(await Promise.race([sender.close().then(() => "closed"), gaveUp])).toBe("closed");
});
