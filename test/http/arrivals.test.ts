import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import { Arrivals } from "../../src/http/server/arrivals.ts";

const refusal = () => new ServiceError("unavailable", "No room.");
const limits = { total: 100, perAddress: 60, timeout: 60_000 };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

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
  bodies[0]!.leave();
  await pass(limits.timeout);
  expect(bodies.map(({ state }) => state.is)).toEqual(["arriving", "arriving", "arriving"]);
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
