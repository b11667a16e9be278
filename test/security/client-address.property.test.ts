import fc from "fast-check";
import { expect, test } from "vitest";
import {
  blockListOf,
  clientAddress,
  networkOf,
  parseAddress,
  parseNetwork,
} from "../../src/http/server/client-address.ts";

const trusted = "10.0.0.0/8";
const proxies = blockListOf([parseNetwork(trusted)!]);
const proxy = fc.ipV4().map((address) => address.replace(/^\d+/, "10"));
const ipv4 = fc.ipV4().filter((address) => !address.startsWith("10."));
const ipv6 = fc.ipV6().filter((address) => parseAddress(address)?.includes(":") === true);
const client = fc.oneof(ipv4, ipv6);
/** The forms in which proxies write an address. */
const written = (address: string) =>
  fc
    .tuple(
      fc.constantFrom("plain", "brackets", "port"),
      fc.integer({ min: 0, max: 65535 }),
      fc.constantFrom("", " ", "\t"),
    )
    .map(([form, port, space]) => {
      const inBrackets = address.includes(":") ? `[${address}]` : address;
      return space + (form === "port" ? `${inBrackets}:${port}` : form === "brackets" ? inBrackets : address) + space;
    });

test("No claim in X-Forwarded-For changes the address that the trusted proxies report", () => {
  const chain = fc
    .tuple(client, fc.array(proxy, { maxLength: 3 }))
    .chain(([address, hops]) =>
      fc.record({
        address: fc.constant(address),
        header: fc.tuple(written(address), ...hops.map(written)).map((entries) => entries.join(",")),
      }),
    );
  fc.assert(
    fc.property(chain, proxy, fc.string(), ({ address, header }, peer, claim) => {
      const seen = parseAddress(address);
      expect(clientAddress(peer, header, proxies)).toBe(seen);
      expect(clientAddress(peer, `${claim},${header}`, proxies)).toBe(seen);
      expect(clientAddress(address, `${claim},${header}`, proxies)).toBe(seen);
    }),
  );
});

test("Any header results in the peer or an address in canonical form", () => {
  fc.assert(
    fc.property(proxy, fc.string(), (peer, header) => {
      const address = clientAddress(peer, header, proxies)!;
      expect(parseAddress(address)).toBe(address);
    }),
  );
});

test("All addresses of an IPv6 /64 count as one, and those of another do not", () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  const groups = fc.array(group, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(groups, groups, groups, (head, tail, otherTail) => {
      const network = (...parts: string[][]) => networkOf(parseAddress(parts.flat().join(":"))!);
      // Each IPv4-mapped address counts by itself.
      fc.pre(head.some((each) => each !== "0"));
      expect(network(head, tail)).toBe(network(head, otherTail));
      const [first = "0", ...rest] = head;
      const other = [(Number.parseInt(first, 16) ^ 1).toString(16), ...rest];
      expect(network(other, tail)).not.toBe(network(head, tail));
    }),
  );
});
