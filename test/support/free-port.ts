import { createServer } from "node:net";

/**
 * Returns a port that nobody listens on at the moment. It is below those that systems give to programs that ask for any
 * port, so that no other test gets it before it is used, or while a server restarts on it.
 */
export async function freePort(): Promise<number> {
  const port = 10_001 + Math.floor(Math.random() * 22_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
  return isFree ? port : freePort();
}
