/** A process of its own that answers callbacks: at once, or under /hang never. Tells when which title came, as Unix milliseconds. */
import http from "node:http";

const now = () => performance.timeOrigin + performance.now();

const server = http.createServer((incoming, response) => {
  const at = now();
  const { url } = incoming;
  let body = "";
  incoming.on("data", (chunk) => {
    if (url === "/timed") body += chunk;
  });
  incoming.on("end", () => {
    if (url === "/hang") return;
    response.end("ok");
    if (url === "/timed") process.send?.({ title: JSON.parse(body).data.title, at });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { port: number }).port }));
