import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type FileItem, uploadLimit } from "../../contract/file-schemas.ts";
import { isHttpUrl } from "../../contract/http-url.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { bytesAsText } from "../output/format-bytes.ts";
import { readFailure, type Sources } from "./value-sources.ts";

/** Maximum bytes of files in one request: they are sent in base64, and 1 MiB is reserved for other fields. */
const maxBytes = ((uploadLimit - 1_048_576) * 3) / 4;

/** Reads files by path, stdin for `-`, and videos by URL into the items of a request. `flag` names the flag in errors. */
export async function readItems(given: readonly string[], flag: string, sources: Sources): Promise<FileItem[]> {
  const sizes = given.map((text) => (isHttpUrl(text) || text === "-" ? 0 : access(text, flag, () => sizeOf(text))));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > maxBytes) {
    const what = given.length > 1 ? "the files together are" : `${given[0]} is`;
    throw new UsageError(
      `${flag}: ${what} ${bytesAsText(total)}, and the limit per request is ${bytesAsText(maxBytes)}`,
    );
  }
  const items: FileItem[] = [];
  for (const text of given) {
    if (isHttpUrl(text)) items.push(video(text, flag));
    else if (text === "-") items.push(item("stdin", await sources.bytes(flag, maxBytes - total), flag));
    else {
      const bytes = access(text, flag, () => readFileSync(text));
      items.push(item(text, bytes, flag));
    }
  }
  return items;
}

/** Returns the size of a file. Sizes are checked before reading, so that a large file does not fill the memory. */
function sizeOf(path: string): number {
  const stat = statSync(path);
  if (stat.isDirectory()) throw Object.assign(new Error("directory"), { code: "EISDIR" });
  return stat.size;
}

function access<T>(path: string, flag: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${flag}: ${readFailure(error, path)}`);
  }
}

function item(path: string, bytes: Buffer, flag: string): FileItem {
  if (bytes.length === 0) throw new UsageError(`${flag}: ${path} is empty`);
  return { type: "upload", name: basename(path).normalize("NFC"), data: bytes.toString("base64") };
}

/** Returns the item of a video URL. The host decides the type; the service validates the rest of the URL. */
function video(url: string, flag: string): FileItem {
  const { hostname = "", pathname = "", searchParams } = URL.parse(url) ?? {};
  const type = /youtu/.test(hostname) ? "youtube" : /vimeo/.test(hostname) ? "vimeo" : undefined;
  if (!type) {
    throw new UsageError(`${flag}: ${url} is not a YouTube or Vimeo URL`, {
      hint: "download the file and pass its path",
    });
  }
  const id = searchParams?.get("v") ?? pathname.split("/").at(-1) ?? "";
  return { type, name: `${type === "youtube" ? "YouTube" : "Vimeo"} ${id}`.trim(), data: url };
}
