import { ServiceError } from "../contract/errors.ts";
import type { Content } from "../contract/file-forms.ts";
import type { Reply } from "./transport.ts";

/** How often in a row a download may break off without having come further. */
const tries = 3;

/**
 * The content that an answer brings. The answer itself is read first; whatever it does not give, because it broke off or
 * because another range is wanted, is asked for by `ask`.
 */
export function contentOf(answer: Reply, ask: (headers: Record<string, string>) => Promise<Reply>): Content {
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
    throw new ServiceError("unavailable", "The service did not answer with the part of the file that was asked for.");
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
  const [, exact = ""] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? [];
  try {
    return decodeURIComponent(exact);
  } catch {
    return "";
  }
}
