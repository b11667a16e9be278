import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type FileItem, uploadLimit } from "../../contract/file-forms.ts";
import { UsageError } from "../failure.ts";
import { reason } from "../sources.ts";
import { bytesAsText } from "./size.ts";

/** Bytes of files that fit into one request, which holds them in base64 and leaves room for the rest of it. */
const most = ((uploadLimit - 1_048_576) * 3) / 4;

/** Files and videos as a request carries them, from paths and URLs as they are typed. `flag` is where they stand. */
export function readItems(given: readonly string[], flag: string): FileItem[] {
  const sizes = given.map((text) => (isUrl(text) ? 0 : sizeOf(text, flag)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > most) {
    const what = given.length > 1 ? "the files have together" : `${given[0]} has`;
    throw new UsageError(`${flag}: ${what} ${bytesAsText(total)}, and one request takes ${bytesAsText(most)}`);
  }
  return given.map((text) => (isUrl(text) ? video(text, flag) : upload(text, flag)));
}

const isUrl = (text: string) => /^https?:\/\//i.test(text);

/** Before anything is read: a mistake should not cost the memory of a disk image. */
function sizeOf(path: string, flag: string): number {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw new UsageError(`${flag}: ${path} is a directory`);
    return stat.size;
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${flag}: ${reason(error, path)}`);
  }
}

function upload(path: string, flag: string): FileItem {
  try {
    const data = readFileSync(path).toString("base64");
    if (data === "") throw new UsageError(`${flag}: ${path} is empty`);
    return { type: "upload", name: basename(path).normalize("NFC"), data };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${flag}: ${reason(error, path)}`);
  }
}

/** Which service it is of; whether the URL is one of a video there, the service decides. */
function video(url: string, flag: string): FileItem {
  const { hostname = "", pathname = "", searchParams } = URL.parse(url) ?? {};
  const type = /youtu/.test(hostname) ? "youtube" : /vimeo/.test(hostname) ? "vimeo" : undefined;
  if (!type) {
    throw new UsageError(`${flag}: ${url} is no video of YouTube or Vimeo`, {
      hint: "download it, and attach the file by its path",
    });
  }
  const id = searchParams?.get("v") ?? pathname.split("/").at(-1) ?? "";
  return { type, name: `${type === "youtube" ? "YouTube" : "Vimeo"} ${id}`.trim(), data: url };
}
