// A receiver of webhook callbacks that prints each one. Usage: node receiver.mjs PORT SECRET-FILE
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port, secretFile] = process.argv.slice(2);
const key = () => Buffer.from(readFileSync(secretFile, "utf8").trim().replace("whsec_", ""), "base64");

/** Returns true when one of the signatures of the request was made with the secret of the webhook. */
function isGenuine(headers, body) {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = Buffer.from(`v1,${createHmac("sha256", key()).update(signed).digest("base64")}`);
  return String(headers["webhook-signature"])
    .split(" ")
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
  const { type, data } = JSON.parse(body);
  process.stdout.write(`${type}  ${data.name}\n`);
  response.writeHead(204).end();
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"));
