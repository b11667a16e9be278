import { BlockList, isIP } from "node:net";

/** IPv4 that is not globally reachable unicast (IANA IPv4 Special-Purpose Address Registry; multicast; reserved). */
const special4 = [
  "0.0.0.0/8", // this network, and the unspecified address
  "10.0.0.0/8", // private
  "100.64.0.0/10", // CGNAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, with the metadata services of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];

/** Ranges within 2000::/3 that are not public. No IPv6 address outside 2000::/3 is global unicast. */
const special6 = [
  "2001::/23", // protocol assignments, with Teredo
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "3fff::/20", // documentation
];

const special = subnets(special4, "ipv4", subnets(special6, "ipv6", new BlockList()));
const global6 = subnets(["2000::/3"], "ipv6", new BlockList());

/** Returns true for a public address. IPv6 forms with an IPv4 address are not: the network decides where they lead. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6:
      return !address.includes("%") && global6.check(address, "ipv6") && !special.check(address, "ipv6");
    default:
      return false;
  }
}

function subnets(ranges: readonly string[], family: "ipv4" | "ipv6", into: BlockList): BlockList {
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    into.addSubnet(network, Number(prefix), family);
  }
  return into;
}
