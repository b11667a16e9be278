import { connect, type Socket } from "node:net";

/** A whole HTTP request, as bytes for a socket. */
export type Message = Buffer;

export interface Load {
  readonly port: number;
  readonly messages: readonly Message[];
  readonly connections: number;
  /** Receives each body, with the index of its message. */
  readonly onBody?: (body: string, index: number) => void;
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly token: string;
  readonly body?: object;
}

export function messageOf({ method = "GET", path, token, body }: Request): Message {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${text}`);
}

/**
 * Sends all messages over keep-alive connections, each as soon as the one before it on its connection is answered. Writes to
 * sockets itself, because an HTTP client costs more than the server.
 */
export async function send({ port, messages, connections, onBody }: Load): Promise<void> {
  let next = 0;
  const take = () => (next < messages.length ? next++ : undefined);
  const lines = Array.from({ length: Math.min(connections, messages.length) }, () =>
    runLine(port, messages, take, onBody),
  );
  await Promise.all(lines);
}

function runLine(
  port: number,
  messages: readonly Message[],
  take: () => number | undefined,
  onBody: Load["onBody"],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let index: number | undefined;
    const go = () => {
      index = take();
      if (index === undefined) {
        socket.end();
        resolve();
      } else socket.write(messages[index]!);
    };
    socket.on("error", reject);
    socket.on("connect", go);
    readAnswers(socket, (status, body) => {
      const path = messages[index!]!.toString("latin1").split("\r\n")[0];
      if (status >= 300) reject(new Error(`${path}: ${status} ${body()}`));
      onBody?.(body(), index!);
      go();
    });
  });
}

/** Calls `onAnswer` for each response; its length must be announced. */
function readAnswers(socket: Socket, onAnswer: (status: number, body: () => string) => void): void {
  let pending: Buffer = Buffer.alloc(0);
  /** Length of the response that is being read, and of its head; 0 before the head is complete. */
  let whole = 0;
  let head = 0;
  let status = 0;
  socket.on("data", (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (whole === 0) {
      const end = pending.indexOf("\r\n\r\n");
      if (end < 0) return;
      const text = pending.toString("latin1", 0, end).toLowerCase();
      const at = text.indexOf("content-length: ");
      if (at < 0 && !text.startsWith("http/1.1 204")) throw new Error(`no length in ${text}`);
      status = Number(text.slice(9, 12));
      head = end + 4;
      whole = head + (at < 0 ? 0 : Number.parseInt(text.slice(at + 16), 10));
    }
    if (pending.length < whole) return;
    const answer = pending;
    pending = Buffer.alloc(0);
    whole = 0;
    onAnswer(status, () => answer.toString("utf8", head));
  });
}
