import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { isIPv6 } from "node:net";
import type { Resolve } from "../../src/delivery/ssrf/guarded-lookup.ts";

export interface NameServer {
  /** Resolves by asking this server over the network, as a resolver would. */
  readonly resolve: Resolve;
  /** How often each name was asked for. */
  readonly asked: Map<string, number>;
  close(): void;
}

const A = 1;
const AAAA = 28;

/** A real DNS server on loopback (RFC 1035): `answers` says what a name has when it is asked for the n-th time. */
export async function newNameServer(answers: (name: string, time: number) => readonly string[]): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = question(query);
    const time = asked.get(`${name} ${type}`) ?? 0;
    asked.set(`${name} ${type}`, time + 1);
    const found = answers(name, time).filter((each) => (isIPv6(each) ? AAAA : A) === type);
    socket.send(reply(query.subarray(0, end), type, found), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    asked,
    async resolve(hostname) {
      const four = (await resolver.resolve4(hostname).catch(() => [])).map((address) => ({ address, family: 4 }));
      const six = (await resolver.resolve6(hostname).catch(() => [])).map((address) => ({ address, family: 6 }));
      if (four.length + six.length === 0) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      return [...four, ...six];
    },
    close: () => socket.close(),
  };
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function reply(query: Buffer, type: number, addresses: readonly string[]): Buffer {
  const header = Buffer.from(query);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = bytesOf(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, ...records]);
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = address.split("::");
  const words = (text: string) => (text === "" ? [] : text.split(":"));
  const [front, back] = [words(head), words(tail ?? "")];
  const all = tail === undefined ? front : [...front, ...Array(8 - front.length - back.length).fill("0"), ...back];
  return Buffer.from(all.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255]));
}
