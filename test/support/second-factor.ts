import { createHmac } from "node:crypto";
import { auth } from "../../src/contract/auth.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { password } from "./actors.ts";
import type { Instance } from "./instance.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The bytes of a text in base32 without padding. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((digit) => alphabet.indexOf(digit).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

/** The code of an authenticator app at a time (RFC 6238), written from the RFC and not with the library. */
export function totpCode(secret: string, now: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30)));
  const mac = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = mac.at(-1)! & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** A code that is wrong at that time. */
export function wrongTotpCode(secret: string, now: number): string {
  const right = new Set([-60, -30, 0, 30, 60].map((drift) => totpCode(secret, now + drift)));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !right.has(code))!;
}

/** Sets up two factors for the caller. Its next code is good after 30 seconds. */
export async function enrol(caller: Caller, instance: Pick<Instance, "now">, as = password) {
  const { secret, uri } = await caller.call(auth.twoFactorBegin, { password: as });
  const { recovery_codes } = await caller.call(auth.twoFactorConfirm, { code: totpCode(secret, instance.now()) });
  return { secret, uri, codes: recovery_codes };
}
