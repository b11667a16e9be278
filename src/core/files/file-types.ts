/** The type of a content, detected from its bytes and not from its name. */
export interface FileType {
  readonly mime: string;
  /** The extension without its dot; empty when the type has no known one. */
  readonly extension: string;
  /** Pixels; null when it is not an image or its first bytes do not contain the dimensions. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Formats of text. Any other match of a text is a coincidence: text that begins with "BMW" looks like a bitmap. */
const textTypes = /^(text\/.*|application\/(pdf|rtf|postscript|eps|pgp-encrypted)|model\/stl)$/;
/** Types whose scripts a browser would run; they are stored as plain text or as application/octet-stream. */
const scriptTypes = /[/+](xml|html)$/;
const imageTypes = /^image\/(a?png|jpeg|gif|webp|bmp|tiff|avif|hei[cf])$/;

/** Detects the type of a content from its first bytes. `isText` is true when all of it is UTF-8 without NUL. */
export async function typeOf(head: Uint8Array, isText: boolean): Promise<FileType> {
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const mime = found?.mime.split(";")[0] ?? "";
  if (found === undefined || scriptTypes.test(mime) || (isText && !textTypes.test(mime))) {
    const unknown = isText
      ? { mime: "text/plain", extension: "txt" }
      : { mime: "application/octet-stream", extension: "" };
    return { ...unknown, width: null, height: null };
  }
  return { mime, extension: found.ext, ...(await dimensionsOf(mime, head)) };
}

async function dimensionsOf(mime: string, head: Uint8Array): Promise<Pick<FileType, "width" | "height">> {
  if (imageTypes.test(mime)) {
    const { imageSize } = await import("image-size");
    try {
      // A copy, because image-size reads beyond a view of a larger buffer.
      const { width, height } = imageSize(new Uint8Array(head));
      if (width > 0 && height > 0) return { width: Math.round(width), height: Math.round(height) };
    } catch {
      // The image is damaged, or its dimensions are not within the first bytes.
    }
  }
  return { width: null, height: null };
}

/** Returns the extension of a file name in lower case; empty without one. */
export function extensionOf(name: string): string {
  return /[^.]\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

const zip = /^application\/(zip|epub\+zip|java-archive|x-xpinstall|vnd\.)|^model\/3mf$/;
// Encrypted Office documents use the older container format.
const office = /^application\/(zip|x-cfb|vnd\.)/;
const mediaTypes = /^(video|audio)\/(mp4|quicktime|x-m4[av]|3gpp2?)$/;

/** Content types allowed per extension, for formats that their first bytes identify reliably. */
const expectedTypes: Readonly<Record<string, RegExp>> = {
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
  mp4: mediaTypes,
  m4v: mediaTypes,
  mov: mediaTypes,
  webm: /^video\/(webm|matroska)$/,
  mkv: /^video\/(webm|matroska)$/,
  wav: /^audio\/wav$/,
  flac: /^audio\/flac$/,
};

/** Returns false when files with this extension have other types. */
export function fitsExtension(extension: string, mime: string): boolean {
  const pattern = Object.hasOwn(expectedTypes, extension) ? expectedTypes[extension] : undefined;
  return pattern === undefined || pattern.test(mime);
}
