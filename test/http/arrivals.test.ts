import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import { Arrivals } from "../../src/http/server/arrivals.ts";

const refusal = () => new ServiceError("unavailable", "No room.");
/** No body is slow with a rate of 0. */
const limits = { total: 100, perAddress: 60, rate: 0, window: 50, timeout: 60_000 };

let time = 0;
beforeEach(() => {
  time = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  vi.spyOn(performance, "now").mockImplementation(() => time);
});
afterEach(() => {
  vi.useRealTimers();
  vi.mocked(performance.now).mockRestore();
});
/** Lets a number of milliseconds pass. */
const pass = (milliseconds: number) => {
  time += milliseconds;
  return vi.advanceTimersByTimeAsync(milliseconds);
};

const started = (arrivals: Arrivals, address: string) => {
  const arrival = arrivals.begin(address);
  const state = { is: "arriving" };
  arrival.ended.catch((error: ServiceError) => {
    state.is = error.code;
  });
  /** Counts received bytes; the state is `waits` until the next may arrive. */
  const add = (bytes: number) => {
    const wait = arrival.add(bytes);
    if (wait === undefined) return;
    state.is = "waits";
    void wait.then(() => {
      state.is = "arriving";
    });
  };
  return { ...arrival, state, send: add };
};
test("a body takes room only for the bytes that have arrived, so slow bodies do not keep others out", () => {
  const arrivals = new Arrivals(limits, refusal);
  const slow = Array.from({ length: 50 }, () => started(arrivals, "a"));
  for (const each of slow) each.send(1);
  const other = started(arrivals, "a");
  other.send(9);
  expect(other.state.is).toBe("arriving");
});

test("over the limit of an address only its oldest body continues, and other addresses are not affected", async () => {
  const arrivals = new Arrivals(limits, refusal);
  const [first, second, elsewhere] = [started(arrivals, "a"), started(arrivals, "a"), started(arrivals, "b")];
  first.send(50);
  second.send(10);
  first.send(10);
  elsewhere.send(20);
  expect([first.state.is, second.state.is, elsewhere.state.is]).toEqual(["arriving", "waits", "arriving"]);
  first.leave();
  await pass(0);
  expect(second.state.is).toBe("arriving");
});

test("over the total limit only the oldest body continues", async () => {
  const arrivals = new Arrivals(limits, refusal);
  const bodies = ["a", "b", "c"].map((address) => started(arrivals, address));
  for (const body of bodies) body.send(40);
  // The third waits already.
  for (const body of bodies.slice(0, 2)) body.send(1);
  expect(bodies.map(({ state }) => state.is)).toEqual(["arriving", "waits", "waits"]);
  bodies[0]!.complete();
  bodies[0]!.leave();
  await pass(limits.timeout);
  expect(bodies.map(({ state }) => state.is)).toEqual(["arriving", "arriving", "arriving"]);
});

test("a slow body is ended when another waits for room; a complete body is not", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 1 }, refusal);
  const [done, slow, fast] = [started(arrivals, "a"), started(arrivals, "a"), started(arrivals, "a")];
  done.send(30);
  done.complete();
  slow.send(29);
  fast.send(1);
  expect([slow.state.is, fast.state.is]).toEqual(["arriving", "waits"]);
  await pass(limits.window);
  expect([done.state.is, slow.state.is, fast.state.is]).toEqual(["arriving", "unavailable", "arriving"]);
  const later = started(arrivals, "a");
  later.send(29);
  expect(later.state.is).toBe("waits");
  await pass(limits.window);
  expect([fast.state.is, later.state.is]).toEqual(["unavailable", "arriving"]);
});

test("a slow body is not ended when it takes no room of the one that waits", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 1 }, refusal);
  const [elsewhere, done, second] = [started(arrivals, "b"), started(arrivals, "a"), started(arrivals, "a")];
  elsewhere.send(1);
  done.send(60);
  done.complete();
  second.send(1);
  await pass(limits.window);
  expect([elsewhere.state.is, second.state.is]).toEqual(["arriving", "waits"]);
});

test("a body at exactly the required rate is not ended", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 0.5 }, refusal);
  const [fast, second] = [started(arrivals, "a"), started(arrivals, "a")];
  await pass(limits.window);
  fast.send(limits.window / 2);
  second.send(60 - limits.window / 2);
  await pass(limits.window / 2);
  expect([fast.state.is, second.state.is]).toEqual(["arriving", "waits"]);
  await pass(limits.window / 2);
  expect([fast.state.is, second.state.is]).toEqual(["unavailable", "arriving"]);
});

test("a body that was slow so far is ended at once when another needs room", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 1 }, refusal);
  const slow = started(arrivals, "a");
  await pass(limits.window);
  slow.send(limits.window - 1);
  const second = started(arrivals, "a");
  second.send(20);
  await pass(0);
  expect([slow.state.is, second.state.is]).toEqual(["unavailable", "arriving"]);
});

test("a slow body that waits does not end another slow body", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 1000 }, refusal);
  const [first, second] = [started(arrivals, "a"), started(arrivals, "a")];
  await pass(limits.window);
  first.send(59);
  second.send(1);
  await pass(2 * limits.window);
  expect([first.state.is, second.state.is]).toEqual(["arriving", "waits"]);
  await pass(limits.timeout);
  expect([first.state.is, second.state.is]).toEqual(["arriving", "unavailable"]);
});

test("a body that waits for room is not ended as slow", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 1 }, refusal);
  const [done, second] = [started(arrivals, "a"), started(arrivals, "a")];
  done.send(60);
  done.complete();
  second.send(1);
  await pass(limits.window);
  const third = started(arrivals, "a");
  third.send(1);
  await pass(limits.window / 2);
  expect([second.state.is, third.state.is]).toEqual(["waits", "waits"]);
});

test("a body that ends while it waits leaves no timer behind", () => {
  const arrivals = new Arrivals(limits, refusal);
  const [first, second] = [started(arrivals, "a"), started(arrivals, "a")];
  first.send(60);
  second.send(1);
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  second.leave();
  expect(vi.getTimerCount()).toBe(0);
});

test("the time that a body waits for room does not make it slow", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 0.5 }, refusal);
  const [first, second] = [started(arrivals, "a"), started(arrivals, "a")];
  first.send(59);
  first.complete();
  await pass(limits.window);
  second.send(1);
  await pass(10 * limits.window);
  first.leave();
  await pass(0);
  second.send(58);
  const third = started(arrivals, "a");
  third.send(1);
  await pass(limits.window / 2);
  expect([second.state.is, third.state.is]).toEqual(["arriving", "waits"]);
});

test("a body that waits too long is refused", async () => {
  const arrivals = new Arrivals(limits, refusal);
  const [first, second] = [started(arrivals, "a"), started(arrivals, "a")];
  first.send(60);
  second.send(1);
  await pass(limits.timeout - 1);
  expect([first.state.is, second.state.is]).toEqual(["arriving", "waits"]);
  await pass(1);
  expect([first.state.is, second.state.is]).toEqual(["arriving", "unavailable"]);
});
