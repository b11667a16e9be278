import { networkInterfaces } from "node:os";

/** True when this machine has the loopback address of IPv6, which many containers lack. */
export const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
