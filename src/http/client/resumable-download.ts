import { ServiceError } from "../../contract/errors.ts";
import type { Content } from "../../contract/file-schemas.ts";
import type { Reply } from "./transport.ts";

/** Maximum number of consecutive interruptions without progress. */
const tries = 3;

/** Reads the reply itself first; `ask` requests the rest after an interruption, and other ranges. */
export function createDownload(answer: Reply, ask: (headers: Record<string, string>) => Promise<Reply>): Content {
  const { headers } = answer;
  const size = Number(headers["content-length"]);
  const etag = headers.etag ?? "";
  let unread: Reply | undefined = answer;
  const open = async (from: number, to: number) => {
    const isWhole = from === 0 && to === size;
    const first = isWhole ? unread : undefined;
    unread = undefined;
    if (first) return first;
    const reply = await ask(isWhole ? {} : { range: `bytes=${from}-${to - 1}`, "if-range": etag });
    if (reply.headers.etag === etag && (isWhole || reply.status === 206)) return reply;
    reply.end();
    throw new ServiceError("unavailable", "The service did not send the requested part of the file.");
  };
  return {
    name: nameOf(headers["content-disposition"]),
    mime: headers["content-type"]?.split(";")[0] ?? "application/octet-stream",
    size,
    sha256: etag.replaceAll('"', ""),
    async *read(from = 0, to = size) {
      let at = from;
      for (let left = tries; at < to; left--) {
        const begun = at;
        try {
          for await (const bytes of (await open(at, to)).body) {
            at += bytes.length;
            yield bytes;
          }
        } catch (error) {
          if (left <= 1 && at === begun) throw error;
        }
        if (at > begun) left = tries + 1;
      }
    },
  };
}

function nameOf(disposition = ""): string {
  const { exact = "" } = /filename\*=UTF-8''(?<exact>[^;]+)/i.exec(disposition)?.groups ?? {};
  try {
    return decodeURIComponent(exact);
  } catch {
    return "";
  }
}
