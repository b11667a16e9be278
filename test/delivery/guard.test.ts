import { once } from "node:events";
import { connect, createServer, isIP, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedResolver, socketLookup } from "../../src/delivery/ssrf/guarded-lookup.ts";
import { isPublic } from "../../src/delivery/ssrf/public-addresses.ts";
import { type CallbackSender, createSender } from "../../src/delivery/webhooks/send-callback.ts";
import { type NameServer, newNameServer } from "../support/dns.ts";
import { hasIPv6 } from "../support/ipv6.ts";

/*
 * A user who may register a webhook could make the server call what only the server can reach: itself, its neighbours, the
 * metadata of its cloud. Here every way to write such an address is tried against listeners on all addresses of this machine.
 */

describe("isPublic", () => {
  const neighbours = [
    ...["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
    ...["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.88.98.255"],
    ...["192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255"],
    ...["198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"],
    ...["2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "3ffe:ffff::", "3fff:1000::"],
  ];
  const good = ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "2a00:1450::1", ...neighbours];
  it.each(good)("%s", (address) => expect(isPublic(address)).toBe(true));

  const bad = [
    ["unspecified", "0.0.0.0", "0.255.255.255", "::"],
    ["loopback", "127.0.0.1", "127.255.255.254", "::1"],
    ["private", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
    ["private IPv6", "fc00::1", "fdff::1"],
    ["CGNAT", "100.64.0.0", "100.127.255.255"],
    ["link-local", "169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "fe80::1%eth0", "febf::1"],
    ["site-local", "fec0::1"],
    ["multicast", "224.0.0.1", "239.255.255.255", "ff02::1"],
    ["reserved, broadcast", "240.0.0.1", "255.255.255.255"],
    ["documentation", "192.0.2.0", "192.0.2.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255"],
    ["documentation, IPv6", "2001:db8::1", "2001:db8:ffff::", "3fff::1", "3fff:fff:ffff::"],
    ["benchmarking", "198.18.0.0", "198.18.0.1", "198.19.0.0", "198.19.255.255"],
    ["protocol assignments", "192.0.0.0", "192.0.0.1", "192.0.0.255"],
    ["mapped, compatible", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:1.1.1.1", "::127.0.0.1", "::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::7f00:1", "64:ff9b::127.0.0.1", "64:ff9b:1::a00:1"],
    ["6to4", "2002:7f00:1::", "2002:a00:1::1", "2002:ffff::", "192.88.99.0", "192.88.99.255"],
    ["Teredo", "2001:0:7f00:1::1", "2001::1", "2001:1ff:ffff::"],
    ["with a zone", "2606:4700::1111%eth0"],
    ["discard, SRv6", "100::1", "5f00::1"],
    ["none", "", "localhost", "127.1", "0x7f.1"],
  ];
  it.each(bad)("%s is not", (_, ...addresses) => {
    expect(addresses.filter(isPublic)).toEqual([]);
  });
});

describe("a callback reaches no address that is not public", () => {
  const listeners: Server[] = [];
  let connections = 0;
  let port = 0;
  let names: NameServer;
  let sender: CallbackSender;

  beforeAll(async () => {
    for (const host of ["0.0.0.0", ...(hasIPv6 ? ["::"] : [])]) {
      const server = createServer((socket) => {
        connections += 1;
        socket.on("error", () => {});
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
      listeners.push(server);
      port = await new Promise<number>((resolve) =>
        server.listen({ port, host, ipv6Only: host === "::" }, () =>
          resolve((server.address() as { port: number }).port),
        ),
      );
    }
    names = await newNameServer((name, time) => {
      if (name === "metadata.example") return ["169.254.169.254"];
      if (name === "inside.example") return ["127.0.0.1", "::1"];
      if (name === "mapped.example") return ["::ffff:7f00:1"];
      if (name === "nat64.example") return ["64:ff9b::7f00:1"];
      if (name === "rebinding.example") return time === 0 ? ["127.0.0.2"] : ["127.0.0.1"];
      return [];
    });
    const clock = Date.now;
    sender = await createSender({ settings: { "webhooks.allow_private": false }, resolve: names.resolve, clock });
  });
  afterAll(async () => {
    await sender.close();
    names.close();
    for (const server of listeners) server.close();
  });

  const send = (url: string, by = sender) => by.send({ url, headers: {}, body: "{}", timeout: 30_000 });

  const hosts = [
    ..."127.0.0.1 127.1 127.000.000.001 0177.0.0.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 0".split(" "),
    ..."0.0.0.0 127.255.255.254 ①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1 [::1] [0:0:0:0:0:0:0:1] [::]".split(" "),
    ..."[::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [2002:7f00:1::]".split(" "),
    ..."[2001:0:7f00:1::] [fe80::1] [fd00::1] 10.0.0.1 192.168.0.1 172.16.0.1 100.64.0.1 169.254.169.254".split(" "),
    ..."224.0.0.1 255.255.255.255 metadata.example inside.example mapped.example nat64.example".split(" "),
  ];
  it.each(hosts)("%s", async (host) => {
    const error = "The receiver has no public address, and webhooks.allow_private is off.";
    for (const scheme of ["http", "https"]) {
      expect(await send(`${scheme}://${host}:${port}/`)).toMatchObject({ status: "blocked", error, response: null });
    }
    expect(connections).toBe(0);
  });

  it.each(["localhost", "localhost.", "LOCALHOST", "127.0.0.1.", "ip6-localhost"])("%s by the system", async (host) => {
    const system = await createSender({ settings: { "webhooks.allow_private": false }, clock: Date.now });
    expect((await send(`http://${host}:${port}/`, system)).status).toMatch(/^(blocked|dns_error)$/);
    expect(connections).toBe(0);
    await system.close();
  });

  it("a name that changes its address is looked up once for each connection, which goes to that address", async () => {
    const lookup = socketLookup(names.resolve, (address) => address === "127.0.0.2");
    const reach = () =>
      new Promise<string | undefined>((resolve, reject) => {
        const socket = connect({ host: "rebinding.example", port, lookup, autoSelectFamily: true });
        // The listener has counted the connection that it answers.
        socket.on("error", reject).on("data", () => {
          resolve(socket.remoteAddress);
          socket.destroy();
        });
      });
    expect(await reach()).toBe("127.0.0.2");
    await expect(reach()).rejects.toMatchObject({ code: "EBLOCKED" });
    expect(names.asked.get("rebinding.example 1")).toBe(2);
    connections = 0;
    expect(await send(`http://rebinding.example:${port}/`)).toMatchObject({ status: "blocked" });
    expect(connections).toBe(0);
  });

  const families: [family: number, address: string][] = [[4, "127.0.0.2"]];
  if (hasIPv6) families.push([6, "::1"]);
  it.each(families)("a socket that connects to IPv%i only gets an address of that family", async (family, address) => {
    const found = ["127.0.0.2", "::1"].map((each) => ({ address: each, family: isIP(each) }));
    const lookup = socketLookup(
      async () => found,
      () => true,
    );
    const socket = connect({ host: "both.example", port, lookup, family });
    await once(socket, "data");
    expect(socket.remoteAddress).toBe(address);
    socket.destroy();
    connections = 0;
  });

  it("a callback looks up its receiver again for each new connection", async () => {
    await send(`http://forgotten.example:${port}/`);
    await send(`http://forgotten.example:${port}/`);
    expect(names.asked.get("forgotten.example 1")).toBe(2);
  });

  it("callbacks that need the same name at the same moment share one lookup", async () => {
    const asked: string[] = [];
    const resolve = sharedResolver(async (name) => {
      asked.push(name);
      return [];
    });
    await Promise.all(["one.example", "two.example", "one.example"].map(resolve));
    expect(asked).toEqual(["one.example", "two.example"]);
    await resolve("one.example");
    expect(asked).toHaveLength(3);
  });

  it("a redirect to a private address is not followed", async () => {
    let asked = 0;
    const redirecting = createServer((socket) => {
      asked += 1;
      socket.end(
        `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${port}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    });
    await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
    const open = await createSender({ settings: { "webhooks.allow_private": true }, clock: Date.now });
    const { port: at } = redirecting.address() as { port: number };
    expect(await send(`http://127.0.0.1:${at}/`, open)).toMatchObject({ status: "302" });
    expect([asked, connections]).toEqual([1, 0]);
    await open.close();
    redirecting.close();
  });

  it("private addresses are reached when they are allowed", async () => {
    const open = await createSender({
      settings: { "webhooks.allow_private": true },
      resolve: names.resolve,
      clock: Date.now,
    });
    const reached = ["127.0.0.1", "2130706433", "inside.example", ...(hasIPv6 ? ["[::1]"] : [])];
    for (const host of reached) {
      expect(await send(`http://${host}:${port}/`, open)).toMatchObject({ status: "200" });
    }
    expect(connections).toBe(reached.length);
    await open.close();
  });
});
