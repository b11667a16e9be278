import type { Terminal } from "../terminal/terminal.ts";
import type { Target } from "./target.ts";

const warned = new WeakSet<Target>();

/** Warns that a token or a password is sent without encryption, once for a target. Loopback connections need none. */
export function warnOfPlainHttp({ target, terminal }: { readonly target: Target; readonly terminal: Terminal }): void {
  if (!target.remote || warned.has(target) || !isPlain(target.address)) return;
  warned.add(target);
  terminal.note(
    `Warning: ${target.address} is not encrypted: others on the network can read your login. Use https://.`,
  );
}

function isPlain(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !/^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
