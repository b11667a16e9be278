import { expect, it } from "vitest";
import type { Leases } from "../../src/delivery/queue/leases.ts";
import type { ClaimedDelivery } from "../../src/delivery/webhooks/callback-queue.ts";
import { Endpoint } from "../../src/delivery/webhooks/endpoint.ts";

const receiver = { id: 1, name: "ci", uri: "https://example.com/hook" } as never;
/** The queue of an endpoint only counts and orders deliveries. */
const deliveries = (count: number) => Array.from({ length: count }, (_, id) => ({ id }) as unknown as ClaimedDelivery);

/** Returns an endpoint whose claims of one delivery came at the times, in milliseconds. */
function claimed(...times: number[]): Endpoint {
  const endpoint = new Endpoint(receiver);
  for (const time of times) {
    endpoint.clear();
    endpoint.add(deliveries(1), time);
  }
  endpoint.clear();
  return endpoint;
}

it("claims many ahead for a receiver that takes a claim in less than a quarter of a second", () => {
  expect(claimed().room).toBe(128);
  expect(claimed(0).room).toBe(128);
  expect(claimed(0, 250).room).toBe(128);
  expect(claimed(0, 249).room).toBe(2048);
  expect(claimed(0, 100, 200, 300).room).toBe(2048);
});

it("a claim that finds nothing does not change how many are claimed", () => {
  const endpoint = claimed(0);
  endpoint.add([], 100);
  expect(endpoint.room).toBe(128);
  endpoint.add(deliveries(1), 250);
  endpoint.clear();
  expect(endpoint.room).toBe(128);
});

it("claims as much as before for a receiver that takes a claim in a quarter of a second to two seconds", () => {
  expect(claimed(0, 100, 350, 2350).room).toBe(2048);
  expect(claimed(0, 250, 2250).room).toBe(128);
});

it("claims few ahead for a receiver that has become slow, so that other workers can claim them", () => {
  expect(claimed(0, 100, 2101).room).toBe(128);
});

it("sends at most 16 at once, one more after each answer, and one after one that hung", () => {
  const endpoint = new Endpoint(receiver);
  endpoint.add(deliveries(100), 0);
  const every = { has: () => true } as unknown as Leases<ClaimedDelivery>;
  const start = () => {
    let started = 0;
    while (endpoint.next(every)) started += 1;
    return started;
  };
  expect(start()).toBe(4);
  endpoint.ended(false);
  expect(start()).toBe(2);
  for (let n = 0; n < 20; n++) {
    endpoint.ended(false);
    start();
  }
  for (let n = 0; n < 16; n++) endpoint.ended(false);
  expect(start()).toBe(16);
  for (let n = 0; n < 16; n++) endpoint.ended(true);
  endpoint.add(deliveries(2), 0);
  expect(start()).toBe(1);
});

it("claims nothing while more than half of what it may claim is queued", () => {
  const endpoint = new Endpoint(receiver);
  endpoint.add(deliveries(64), 0);
  expect([endpoint.room, endpoint.runsLow]).toEqual([64, true]);
  endpoint.add(deliveries(1), 1000);
  expect([endpoint.room, endpoint.runsLow]).toEqual([0, false]);
});
