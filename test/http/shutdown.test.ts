import { connect } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import { hasIPv6 } from "../support/ipv6.ts";
import { gate, nextAccepted, serveFake, speak } from "./support.ts";

const ask = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n";

test("a shutdown reports that the server is not ready, finishes running requests, then closes all connections", async () => {
  // On a busy machine the probes may need a longer notice.
  for (let notice = 250; !(await closesInOrder(notice)); notice *= 2) expect(notice).toBeLessThan(60_000);
});

/** Returns false when the probes came too late for the notice. */
async function closesInOrder(notice: number): Promise<boolean> {
  const working = gate();
  const server = await serveFake(() => working.opened.then(() => ({ id: 7 })), { timeouts: { notice } });
  const running = fetch(`${server.url}/api/users/5`);
  await expect.poll(() => server.calls.length).toBe(1);
  const closed = server.close();
  const [probe, health] = await Promise.all([fetch(`${server.url}/readyz`), fetch(`${server.url}/healthz`)]).catch(
    () => [],
  );
  if (probe === undefined || health === undefined) {
    working.open();
    await Promise.all([running, closed]);
    return false;
  }
  expect([probe.status, probe.headers.get("connection"), probe.headers.get("retry-after")]).toEqual([
    503,
    "close",
    "5",
  ]);
  expect(health.status).toBe(200);
  expect(server.logs.filter(({ level }) => level === "error")).toEqual([]);
  await expect
    .poll(() =>
      fetch(`${server.url}/healthz`).then(
        () => "open",
        () => "closed",
      ),
    )
    .toBe("closed");
  working.open();
  const response = await running;
  expect([response.status, response.headers.get("connection")]).toEqual([200, "close"]);
  await closed;
  return true;
}

test("connections that are idle or were never used do not delay the shutdown", async () => {
  const server = await serveFake(undefined, { timeouts: { notice: 100 } });
  const kept = speak(server.port, ask);
  const unused = speak(server.port);
  const half = speak(server.port, "GET / HTTP/1.1\r\n");
  await expect.poll(() => server.logs.length).toBe(1);
  await server.close();
  expect([await kept, await unused, await half].map((text) => text.length > 0)).toEqual([true, false, false]);
});

test("an answer that is being read is finished, and its connection is closed although the answer did not announce it", async () => {
  const server = await serveFake(() => ({ data: "x".repeat(20_000_000) }));
  const socket = connect(server.port, "127.0.0.1");
  socket.write("GET /api/users/5 HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise<void>((resolve) => socket.once("data", () => resolve(void socket.pause())));
  const closed = server.close();
  socket.resume();
  await closed;
  await new Promise((resolve) => socket.on("close", resolve));
  expect(socket.bytesRead).toBeGreaterThan(20_000_000);
});

test("requests that do not end are aborted", async () => {
  const server = await serveFake(() => new Promise(() => {}), { timeouts: { grace: 300 } });
  const running = fetch(`${server.url}/api/users/5`);
  running.catch(() => {});
  await expect.poll(() => server.calls.length).toBe(1);
  await server.close();
  await expect(running).rejects.toThrow();
});

test("a request that runs when the shutdown begins is answered once new connections are refused", async () => {
  const working = gate();
  const server = await serveFake(() => working.opened.then(() => ({ id: 7 })), {
    timeouts: { quiet: 1000 },
    inStep: async () => working.open(),
  });
  const next = fetch(`${server.url}/api/users/5`).then(({ status }) => {
    expect(status).toBe(200);
    return fetch(`${server.url}/healthz`).then(
      () => "accepted",
      () => "refused",
    );
  });
  await expect.poll(() => server.calls.length).toBe(1);
  const closed = server.close();
  expect(await next).toBe("refused");
  await closed;
});

test("a request that arrives while the shutdown waits for other processes runs, and its answer is held back, then sent", async () => {
  const accepted = nextAccepted();
  const asked = gate();
  const server = await serveFake(undefined, {
    inStep: async (step) => {
      if (step === "hold") return;
      asked.open();
      const served = await accepted;
      await expect.poll(() => served.bytesRead).toBe(ask.length);
    },
  });
  const text = speak(server.port, () => asked.opened, ask);
  await accepted;
  await server.close();
  expect(await text).toMatch(/^HTTP\/1.1 503 /);
});

test("the port stays open while another process answers, whose clients connect again", async () => {
  const others = gate();
  const holding = gate();
  const timeouts = { notice: 0, quiet: 200 };
  const [server, alone] = [
    await serveFake(undefined, {
      timeouts,
      inStep: async (step) => {
        if (step === "hold") holding.open();
        await others.opened;
      },
    }),
    await serveFake(undefined, { timeouts }),
  ];
  const closed = server.close();
  await holding.opened;
  // A server that waits for no other one is closed by now.
  await alone.close();
  const late = speak(server.port, ask);
  await expect.poll(() => server.logs.length).toBe(1);
  others.open();
  expect(await late).toMatch(/^HTTP\/1.1 503 /);
  await closed;
});

test("an answer is not held back until the last process has closed its port", async () => {
  const working = gate();
  const others = gate();
  const server = await serveFake(() => working.opened.then(() => ({ id: 7 })), {
    timeouts: { quiet: 20 },
    inStep: async (step) => {
      if (step === "hold") return;
      working.open();
      return others.opened;
    },
  });
  const running = fetch(`${server.url}/api/users/5`);
  await expect.poll(() => server.calls.length).toBe(1);
  const closed = server.close();
  expect((await running).status).toBe(200);
  others.open();
  await closed;
});

test("connections that keep arriving delay the shutdown only for a limited time", async () => {
  const server = await serveFake(undefined, { timeouts: { quiet: 2000, grace: 3000 } });
  const isAccepted = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.destroy());
      socket.on("error", () => resolve(false)).on("close", () => resolve(true));
    });
  const closed = server.close();
  let accepted = 0;
  while (await isAccepted()) accepted += 1;
  expect(accepted).toBeGreaterThan(2);
  await closed;
});

test("a server that is closed leaves no timer that keeps its process", async () => {
  const begun = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "setInterval")];
  const ended = [vi.spyOn(globalThis, "clearTimeout"), vi.spyOn(globalThis, "clearInterval")];
  onTestFinished(() => {
    for (const spy of [...begun, ...ended]) spy.mockRestore();
  });
  // Values by which the timers of this server are found.
  const server = await serveFake(undefined, { timeouts: { check: 12_345, quiet: 60, grace: 600_000 } });
  await server.close();
  const timers = begun.flatMap(({ mock }) =>
    mock.calls.map(([, after], at) => ({ after, timer: mock.results[at]?.value })),
  );
  const cleared = ended.flatMap(({ mock }) => mock.calls.map(([timer]) => timer));
  for (const each of [12_345, 10 * 60, 600_000, 100]) {
    const [{ timer } = {}] = timers.filter(({ after }) => after === each);
    expect(cleared.includes(timer), `${each} ms`).toBe(true);
  }
});

test("a second close waits for the first one", async () => {
  const held = gate();
  const server = await serveFake(() => held.opened.then(() => ({ id: 7 })));
  const running = fetch(`${server.url}/api/users/5`);
  await expect.poll(() => server.calls.length).toBe(1);
  let closed = 0;
  const closing = [server.close(), server.close()].map((each) => each.then(() => (closed += 1)));
  await turn();
  expect(closed).toBe(0);
  held.open();
  expect((await running).status).toBe(200);
  await Promise.all(closing);
});

test("running requests on many connections are all answered", async () => {
  // Requests of different length are at different points when the server closes.
  const server = await serveFake(() => sleep(Math.random() * 20, { id: 1 }), { timeouts: { notice: 1500 } });
  const results: (number | undefined)[] = [];
  let closing = false;
  const worker = async () => {
    while (!closing) results.push((await fetch(`${server.url}/api/users/5`)).status);
  };
  const workers = Array.from({ length: 10 }, worker);
  await expect.poll(() => results.length).toBeGreaterThan(50);
  const closed = server.close();
  // They send no more, as if a load balancer had seen that the server is not ready.
  closing = true;
  await Promise.all(workers);
  await closed;
  expect(results.filter((status) => status !== 200)).toEqual([]);
});

test("a port that is in use is an error that says so", async () => {
  const server = await serveFake();
  const second = serveFake(undefined, { port: server.port });
  await expect(second).rejects.toThrow(new ServiceError("unavailable", `127.0.0.1:${server.port} is in use.`));
  await server.close();
});

const hosts: [host: string, name: string, address: string][] = [["0.0.0.0", "localhost", "127.0.0.1"]];
if (hasIPv6) hosts.push(["::", "localhost", "::1"], ["::1", "[::1]", "::1"]);
test.each(hosts)("the URL of a server on %s works", async (host, name, address) => {
  const server = await serveFake(undefined, { host });
  expect(server.url).toBe(`http://${name}:${server.port}`);
  const socket = connect(server.port, address);
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.destroy();
  await server.close();
});
