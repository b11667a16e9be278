import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, describe, expect, it, test } from "vitest";
import {
  blockListOf,
  clientAddress,
  networkOf,
  parseAddress,
  parseNetwork,
  privateNetworks,
} from "../../src/http/server/client-address.ts";
import { start, useHome } from "../cli/support.ts";

const proxies = blockListOf(privateNetworks.map((text) => parseNetwork(text)!));
const named = blockListOf(["10.1.0.0/16", "2001:db8:7::1"].map((text) => parseNetwork(text)!));

describe("the client behind proxies", () => {
  test.each([
    ["one proxy", "127.0.0.1", "9.9.9.9", "9.9.9.9"],
    ["several proxies", "10.0.0.1", "9.9.9.9, 192.168.1.2 ,10.0.0.2", "9.9.9.9"],
    ["a proxy seen as IPv4-mapped", "::ffff:10.0.0.1", "9.9.9.9", "9.9.9.9"],
    ["a proxy on IPv6 loopback", "::1", "9.9.9.9", "9.9.9.9"],
    ["a port", "127.0.0.1", "9.9.9.9:5678", "9.9.9.9"],
    ["IPv6", "127.0.0.1", "2001:DB8:0:0::1", "2001:db8::1"],
    ["IPv6 in brackets", "127.0.0.1", "[2001:db8::1]", "2001:db8::1"],
    ["IPv6 with a port", "127.0.0.1", "[2001:db8::1]:443", "2001:db8::1"],
    ["an IPv4-mapped client", "127.0.0.1", "::ffff:909:909", "9.9.9.9"],
    ["clients and proxies in private networks", "10.0.0.1", "192.168.1.7, 10.0.0.2", "192.168.1.7"],
    ["empty elements", "127.0.0.1", ",9.9.9.9,, ", "9.9.9.9"],
    ["no header", "127.0.0.1", undefined, "127.0.0.1"],
    ["an empty header", "127.0.0.1", "", "127.0.0.1"],
  ])("%s", (_, peer, forwarded, client) => {
    expect(clientAddress(peer, forwarded, proxies)).toBe(client);
  });

  test("An attacker who sends X-Forwarded-For without a proxy is identified by the own address", () => {
    expect(clientAddress("9.9.9.9", "1.1.1.1", proxies)).toBe("9.9.9.9");
    expect(clientAddress("127.0.0.1", "1.1.1.1", undefined)).toBe("127.0.0.1");
    expect(clientAddress("10.2.0.1", "1.1.1.1", named)).toBe("10.2.0.1");
  });

  test("An attacker who sends X-Forwarded-For through the proxy is identified by the address that the proxy reports", () => {
    for (const claim of ["1.1.1.1", "10.0.0.1", "rubbish", "::1, unknown", ","]) {
      expect(clientAddress("127.0.0.1", `${claim}, 9.9.9.9`, proxies), claim).toBe("9.9.9.9");
    }
    expect(clientAddress("10.1.0.1", "1.1.1.1, 10.2.0.9", named)).toBe("10.2.0.9");
    expect(clientAddress("2001:db8:7::1", "1.1.1.1, 2001:db8:7::2", named)).toBe("2001:db8:7::2");
  });

  test.each([
    "unknown",
    "_hidden",
    "9.9.9",
    "9.9.9.9.9",
    "09.9.9.9",
    "9.9.9.9:",
    "9.9.9.9:port",
    "[9.9.9.9]",
    "[::1",
    "1::2::3",
    "[2001:db8::1]443",
    "9.9.9.9 1.1.1.1",
    '"9.9.9.9"',
    "http://9.9.9.9",
    "9.9.9.9/8",
  ])("with a malformed entry the peer is the client: %s", (entry) => {
    expect(parseAddress(entry)).toBeUndefined();
    expect(clientAddress("127.0.0.1", `1.1.1.1, ${entry}`, proxies)).toBe("127.0.0.1");
  });
});

describe("the network that is the key of rate limits", () => {
  test.each([
    ["9.9.9.9", "9.9.9.9"],
    ["::ffff:9.9.9.9", "9.9.9.9"],
    ["2001:db8::1", "2001:db8::/64"],
    ["2001:db8:0:0:ffff::1", "2001:db8::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["::1", "::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["1::2:3:4:5:6", "1:0:0:2::/64"],
  ])("%s counts as %s", (address, network) => {
    expect(networkOf(parseAddress(address)!)).toBe(network);
  });
});

describe("a network in --behind-proxy", () => {
  test.each([
    ["10.0.0.0/8", { address: "10.0.0.0", prefix: 8, family: "ipv4" }],
    ["10.0.0.1", { address: "10.0.0.1", prefix: 32, family: "ipv4" }],
    ["::1/128", { address: "::1", prefix: 128, family: "ipv6" }],
    ["2001:DB8::/32", { address: "2001:db8::", prefix: 32, family: "ipv6" }],
    ["::ffff:10.0.0.1", { address: "10.0.0.1", prefix: 32, family: "ipv4" }],
    ["0.0.0.0/0", { address: "0.0.0.0", prefix: 0, family: "ipv4" }],
  ])("%s", (text, network) => expect(parseNetwork(text)).toEqual(network));

  test.each([
    "",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0/8",
    "::/129",
    "::ffff:10.0.0.0/104",
    "::ffff:10.0.0.0/8",
    "localhost",
    "fe80::1%eth0",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "x10.0.0.0/8",
    "9.9.9.9 10.0.0.0/8",
  ])("%s is not a network", (text) => expect(parseNetwork(text)).toBeUndefined());
});

describe("wcs serve", () => {
  const home = useHome();
  const servers: ChildProcess[] = [];
  afterAll(() => {
    for (const server of servers) server.kill("SIGKILL");
  });
  const serve = async (...flags: string[]) => {
    const server = start(["serve", "--port", "0", ...flags], home().env);
    servers.push(server);
    let text = "";
    server.stderr?.on("data", (chunk) => {
      text += chunk;
    });
    const [url] = await once(server.stdout!, "data");
    const end = async () => {
      server.kill("SIGTERM");
      await once(server, "close");
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    return { url: String(url).trim(), end };
  };
  const ask = (url: string, headers: Record<string, string>) => fetch(`${url}/api/users/current`, { headers });

  it("behind a proxy without --behind-proxy warns once that all clients share one limit", async () => {
    const { url, end } = await serve();
    for (let n = 0; n < 3; n++) await ask(url, { "x-forwarded-for": "9.9.9.9" });
    const log = await end();
    const warnings = log.filter(({ msg }) =>
      /X-Forwarded-For is present but --behind-proxy is not set/.test(String(msg)),
    );
    expect(warnings).toMatchObject([{ level: 40, address: "127.0.0.1" }]);
    expect(log.filter(({ msg }) => msg === "request")).toMatchObject(Array(3).fill({ address: "127.0.0.1" }));
  });

  it("The access log has the address and the user of each request", async () => {
    const { url, end } = await serve("--behind-proxy", "127.0.0.0/8");
    const { stdout } = await home().wcs(["auth", "token"]);
    await ask(url, { "x-forwarded-for": "1.1.1.1, 9.9.9.9:1234", authorization: `Bearer ${stdout.trim()}` });
    await ask(url, { "x-forwarded-for": "[2001:db8::1]:80", authorization: "Bearer forged" });
    const log = await end();
    expect(log.filter(({ msg }) => msg === "request")).toMatchObject([
      { status: 200, address: "9.9.9.9", actor: 1 },
      { status: 401, address: "2001:db8::1", actor: null },
    ]);
  });

  test.each([
    ["10.0.0.0/8,proxy.example.com", "'proxy.example.com'"],
    ["10.0.0.0/33", "'10.0.0.0/33'"],
    ["", "''"],
  ])("--behind-proxy=%s is refused with a message that names the value", async (value, shown) => {
    const { code, stderr } = await home().sit(["serve", `--behind-proxy=${value}`]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--behind-proxy must be networks like 10.0.0.0/8,::1/128, not ${shown}`);
  });
});
