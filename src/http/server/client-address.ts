import { BlockList, isIP } from "node:net";

interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Loopback and private networks: the trusted proxies unless others are named. */
export const privateNetworks = [
  "127.0.0.0/8",
  "::1/128",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "fc00::/7",
] as const;

/** Parses a network like `10.0.0.0/8`, or a single address; undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  const { bare = "", bits } = /^(?<bare>[\d.a-f:]+)(?:\/(?<bits>0|[1-9]\d{0,2}))?$/i.exec(text)?.groups ?? {};
  if (isIP(bare) === 0) return undefined;
  const address = canonical(bare);
  const max = isIP(address) === 4 ? 32 : 128;
  const prefix = bits === undefined ? max : Number(bits);
  // The prefix length of an IPv4-mapped network counts from the IPv6 address.
  if (prefix > max || (bits !== undefined && bare.includes(":") && max === 32)) return undefined;
  return { address, prefix, family: max === 32 ? "ipv4" : "ipv6" };
}

export function blockListOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return list;
}

/**
 * Returns the last entry of X-Forwarded-For that is not a trusted proxy; earlier entries are claims of the client. Only a
 * trusted peer's header counts, and with a malformed entry on the way the peer is the client.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  proxies: BlockList | undefined,
): string | undefined {
  const nearest = peer === undefined ? undefined : parseAddress(peer);
  if (nearest === undefined || forwarded === undefined || !proxies || !isTrusted(proxies, nearest)) return nearest;
  let client = nearest;
  for (const entry of forwarded.split(",").reverse()) {
    const text = entry.trim();
    // RFC 9110, section 5.6.1: empty elements of a list are ignored.
    if (text === "") continue;
    const address = parseAddress(text);
    if (address === undefined) return nearest;
    client = address;
    if (!isTrusted(proxies, address)) break;
  }
  return client;
}

/** Returns the key of rate limits for an address: for IPv6 the /64 network, since a client has all of its addresses. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return `${canonical(`${groups.slice(0, 4).join(":")}::`)}/64`;
}

/** Parses an address, with a port or not: `1.2.3.4`, `1.2.3.4:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`. */
export function parseAddress(text: string): string | undefined {
  const { bracketed, plain } =
    /^(?:\[(?<bracketed>[^\]]*)\](?::\d{1,5})?|(?<plain>[\d.]+):\d{1,5})$/.exec(text)?.groups ?? {};
  const address = bracketed ?? plain ?? text;
  const family = isIP(address);
  if (family === 0 || (bracketed !== undefined && family === 4)) return undefined;
  return canonical(address);
}

const isTrusted = (proxies: BlockList, address: string) =>
  proxies.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

/** Formats an address in its canonical form (RFC 5952), without a zone, and an IPv4-mapped one as IPv4. */
function canonical(address: string): string {
  if (isIP(address) === 4) return address;
  const short = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const { high, low } = /^::ffff:(?<high>[\da-f]{1,4}):(?<low>[\da-f]{1,4})$/.exec(short)?.groups ?? {};
  if (high === undefined || low === undefined) return short;
  const bytes = [high, low].map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]);
  return bytes.join(".");
}
