/** What a content is, told by itself and not by its name. */
export interface FileType {
  readonly mime: string;
  /** Without its dot; empty when there is none that is known. */
  readonly extension: string;
  /** Pixels; null of what is no image, or does not say so within its beginning. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Formats that are written in characters. All others read as text by chance only, as "BMW ..." is a bitmap. */
const written = /^(text\/.*|application\/(pdf|rtf|postscript|eps|pgp-encrypted)|model\/stl)$/;
/** What a browser would run scripts of is kept as text, or as nothing in particular. */
const active = /[/+](xml|html)$/;
const measurable = new Set(["png", "apng", "jpeg", "gif", "webp", "bmp", "tiff", "avif", "heic", "heif"]);

/** The type of a content by its first bytes. `isText` is whether all of it is UTF-8 without NUL. */
export async function typeOf(head: Uint8Array, isText: boolean): Promise<FileType> {
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const mime = found?.mime.split(";")[0] ?? "";
  if (mime === "" || active.test(mime) || (isText && !written.test(mime))) {
    const unknown = isText
      ? { mime: "text/plain", extension: "txt" }
      : { mime: "application/octet-stream", extension: "" };
    return { ...unknown, width: null, height: null };
  }
  return { mime, extension: found!.ext, ...(await dimensionsOf(mime, head)) };
}

async function dimensionsOf(mime: string, head: Uint8Array): Promise<Pick<FileType, "width" | "height">> {
  const [kind, format = ""] = mime.split("/");
  if (kind === "image" && measurable.has(format)) {
    const { imageSize } = await import("image-size");
    try {
      // A copy of its own: of a buffer that shares its memory, image-size reads past the end into what is others'.
      const { width, height } = imageSize(new Uint8Array(head));
      if (width > 0 && height > 0) return { width: Math.round(width), height: Math.round(height) };
    } catch {
      // A damaged image, or one that has more before its dimensions than we look at.
    }
  }
  return { width: null, height: null };
}

/** The extension of a file name in lower case; empty without one. */
export function extensionOf(name: string): string {
  return /[^.]\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

const zip = /^application\/(zip|epub\+zip|java-archive|x-xpinstall|vnd\.)|^model\/3mf$/;
// Office encrypts its documents in the older container.
const office = /^application\/(zip|x-cfb|vnd\.)/;
const film = /^(video|audio)\/(mp4|quicktime|x-m4[av]|3gpp2?)$/;

/** What contents have under extensions whose formats are certain to be known by their first bytes. */
const expected: Readonly<Record<string, RegExp>> = {
  png: /^image\/a?png$/,
  jpg: /^image\/jpeg$/,
  jpeg: /^image\/jpeg$/,
  gif: /^image\/gif$/,
  webp: /^image\/webp$/,
  bmp: /^image\/bmp$/,
  tif: /^image\/(tiff|x-.*)$/,
  tiff: /^image\/(tiff|x-.*)$/,
  heic: /^image\/hei[cf](-sequence)?$/,
  avif: /^image\/avif$/,
  pdf: /^application\/pdf$/,
  zip,
  docx: office,
  xlsx: office,
  pptx: office,
  odt: office,
  ods: office,
  odp: office,
  gz: /^application\/gzip$/,
  "7z": /^application\/x-7z-compressed$/,
  rar: /^application\/x-rar-compressed$/,
  mp4: film,
  m4v: film,
  mov: film,
  webm: /^video\/(webm|matroska)$/,
  mkv: /^video\/(webm|matroska)$/,
  wav: /^audio\/wav$/,
  flac: /^audio\/flac$/,
};

/** Whether a file of that extension can have that content. */
export function fits(extension: string, mime: string): boolean {
  const pattern = Object.hasOwn(expected, extension) ? expected[extension] : undefined;
  return pattern === undefined || pattern.test(mime);
}
