import { expect, test } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import { Arrivals } from "../../src/http/server/arrivals.ts";

const refusal = () => new ServiceError("unavailable", "No room.");
const limits = { total: 100, perAddress: 60, rate: 1, window: 50, patience: 60_000 };
const started = (arrivals: Arrivals, address: string) => {
  const arrival = arrivals.begin(address);
  const state = { is: "arriving" };
  arrival.ended.catch((error: ServiceError) => {
    state.is = error.code;
  });
  /** How many bytes have come; `waits` until the next may. */
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
test("a body holds what has come of it: slow ones do not keep others out", () => {
  const arrivals = new Arrivals(limits, refusal);
  const slow = Array.from({ length: 50 }, () => started(arrivals, "a"));
  for (const each of slow) each.send(1);
  const other = started(arrivals, "a");
  other.send(9);
  expect(other.state.is).toBe("arriving");
});

test("beyond the share of an address the oldest from there goes on, others wait, and other addresses do not notice", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 0 }, refusal);
  const [first, second, elsewhere] = [started(arrivals, "a"), started(arrivals, "a"), started(arrivals, "b")];
  first.send(50);
  second.send(10);
  first.send(10);
  elsewhere.send(20);
  expect([first.state.is, second.state.is, elsewhere.state.is]).toEqual(["arriving", "waits", "arriving"]);
  first.leave();
  await expect.poll(() => second.state.is).toBe("arriving");
});

test("when all is full, the oldest of all goes on", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 0 }, refusal);
  const bodies = ["a", "b", "c"].map((address) => started(arrivals, address));
  for (const body of bodies) body.send(40);
  for (const body of bodies) body.send(1);
  expect(bodies.map(({ state }) => state.is)).toEqual(["arriving", "waits", "waits"]);
  bodies[0]!.complete();
  bodies[0]!.leave();
  await expect.poll(() => bodies.map(({ state }) => state.is)).toEqual(["arriving", "arriving", "arriving"]);
});

test("a slow body gives way to one that waits; one that is all there does not", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 1000 }, refusal);
  const [done, slow, fast] = [started(arrivals, "a"), started(arrivals, "a"), started(arrivals, "a")];
  done.send(30);
  done.complete();
  slow.send(29);
  fast.send(1);
  expect([slow.state.is, fast.state.is]).toEqual(["arriving", "waits"]);
  await expect.poll(() => slow.state.is).toBe("unavailable");
  await expect.poll(() => fast.state.is).toBe("arriving");
  expect(done.state.is).toBe("arriving");
});

test("a body that has waited too long is refused", async () => {
  const arrivals = new Arrivals({ ...limits, rate: 0, patience: 20 }, refusal);
  const [first, second] = [started(arrivals, "a"), started(arrivals, "a")];
  first.send(60);
  second.send(1);
  expect(second.state.is).toBe("waits");
  await expect.poll(() => second.state.is).toBe("unavailable");
  expect(first.state.is).toBe("arriving");
});
