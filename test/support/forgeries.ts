import { createHmac, generateKeyPairSync, sign as signRsa } from "node:crypto";
import { once } from "../../src/contract/once.ts";
import type { Instance } from "./instance.ts";

export interface Forgery {
  readonly name: string;
  readonly token: string;
}

type Json = Record<string, unknown>;

const base64 = (value: Json | Buffer) =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString("base64url");

function hmac(header: Json, claims: Json, key: string | Buffer, hash = "sha256"): string {
  const body = `${base64(header)}.${base64(claims)}`;
  return `${body}.${base64(createHmac(hash, key).update(body).digest())}`;
}

const attackersKeys = once(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));

/** The name of the session in a token. */
export function sessionOf(token: string): string {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sid;
}

/** The same bytes as a text of 43 characters, whose last one has two bits that mean nothing. */
function withOtherUnusedBits(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)!) + 1];
}

/**
 * Tokens that say they are the administrator's, made without the key, or with it and wrong in one thing; and `control`,
 * made in the same way with nothing wrong.
 */
export async function forgeries(instance: Instance): Promise<{ control: string; forged: Forgery[] }> {
  const { issuer, token_key } = await instance.database.reader
    .selectFrom("instance")
    .select(["issuer", "token_key"])
    .executeTakeFirstOrThrow();
  const key = Buffer.from(token_key, "base64url");
  const iat = instance.now();
  const sid = sessionOf(await instance.tokenOf(1));
  const good = { iss: issuer, aud: issuer, sub: "1", iat, exp: iat + 600, jti: "1", auth_time: iat, ver: 1, sid };
  const head = { alg: "HS256", typ: "JWT" };
  const own = (claims: Json, header: Json = head) => hmac(header, claims, key);
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([each]) => each !== name));
  const [header = "", payload = "", signature = ""] = own(good).split(".");
  const { privateKey, publicKey } = attackersKeys();
  const rsa = (extra: Json) => {
    const body = `${base64({ alg: "RS256", typ: "JWT", ...extra })}.${base64(good)}`;
    return `${body}.${base64(signRsa("sha256", Buffer.from(body), privateKey))}`;
  };
  const jwk = { kty: "oct", k: base64(Buffer.from("attacker")) };
  const tokens: Record<string, string> = {
    "alg none": `${base64({ alg: "none" })}.${payload}.`,
    "alg None with a signature": `${base64({ alg: "None", typ: "JWT" })}.${payload}.${signature}`,
    "no alg": hmac({ typ: "JWT" }, good, key),
    "other key": hmac(head, good, "x".repeat(32)),
    "empty key": hmac(head, good, ""),
    "key as it is written in the database": hmac(head, good, token_key),
    "HS384 with the key": hmac({ ...head, alg: "HS384" }, good, key, "sha384"),
    "HS512 with the key": hmac({ ...head, alg: "HS512" }, good, key, "sha512"),
    "RS256 signed with the key as HMAC": hmac({ ...head, alg: "RS256" }, good, key),
    "RS256 by the attacker": rsa({}),
    "RS256 with its jwk": rsa({ jwk: publicKey.export({ format: "jwk" }) }),
    "RS256 with jku": rsa({ jku: "https://attacker.example/keys", kid: "1" }),
    "HS256 with its jwk": hmac({ ...head, jwk }, good, "attacker"),
    "HS256 with kid of an empty file": hmac({ ...head, kid: "../../../../dev/null" }, good, ""),
    "HS256 with kid of SQL": hmac({ ...head, kid: "x' union select 'attacker" }, good, "attacker"),
    "unknown crit": own(good, { ...head, crit: ["unknown"], unknown: true }),
    expired: own({ ...good, iat: iat - 700, exp: iat - 1 }),
    "iat in the future": own({ ...good, iat: iat + 120 }),
    "iat as text": own({ ...good, iat: String(iat + 120) }),
    "nbf in the future": own({ ...good, nbf: iat + 300 }),
    "other issuer": own({ ...good, iss: `${issuer}x` }),
    "for somebody else": own({ ...good, aud: "https://elsewhere.example" }),
    "for somebody else, too": own({ ...good, aud: [issuer, "https://elsewhere.example"] }),
    "version of before": own({ ...good, ver: 0 }),
    "no such user": own({ ...good, sub: "987654321" }),
    "user 0": own({ ...good, sub: "0" }),
    "sub that is no ID": own({ ...good, sub: "1 or 1=1" }),
    "sub in a list": own({ ...good, sub: ["1"] }),
    "sub with a space": own({ ...good, sub: " 1" }),
    "sub as another number": own({ ...good, sub: "1e0" }),
    "auth_time as text": own({ ...good, auth_time: String(iat) }),
    "version in a list": own({ ...good, ver: [1] }),
    "session of another user": own({ ...good, sid: sessionOf(await instance.tokenOf(2)) }),
    "no such session": own({ ...good, sid: "AAAAAAAAAAAAAAAAAAAAAA" }),
    "no name of a session": own({ ...good, sid: "" }),
    "sid of SQL": own({ ...good, sid: "x' or '1'='1" }),
    "sid that is the ID": own({ ...good, sid: 1 }),
    "exp as text": own({ ...good, exp: String(good.exp) }),
    "payload changed": `${header}.${base64({ ...good, sub: "2" })}.${signature}`,
    "header changed": `${base64({ ...head, kid: "1" })}.${payload}.${signature}`,
    "padded with =": `${header}.${payload}.${signature}=`,
    "padded with = in the middle": `${header}.${payload}==.${signature}`,
    "last character with other unused bits": `${header}.${payload}.${withOtherUnusedBits(signature)}`,
    "in base64 that is not for URLs": `${header}.${payload}.${Buffer.from(signature, "base64url").toString("base64")}`,
    "without signature": `${header}.${payload}.`,
    "two parts": `${header}.${payload}`,
    truncated: own(good).slice(0, -6),
    "one character": "x",
  };
  for (const name of ["iss", "aud", "sub", "iat", "exp", "jti", "auth_time", "ver", "sid"])
    tokens[`without ${name}`] = own(without(name));
  return { control: own(good), forged: Object.entries(tokens).map(([name, token]) => ({ name, token })) };
}
