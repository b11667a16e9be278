import { z } from "zod";
import { memoize } from "./bounded-map.ts";
import { bytes, component, idOf, line, unixTime } from "./common-schemas.ts";
import { fieldsOf } from "./field-spec.ts";
import { once } from "./once.ts";
import type { AnyOperation } from "./operation.ts";

/** Fits 25 MiB in base64 and the rest of the request. */
export const uploadLimit = 40 * 1024 * 1024;

const displayName = () =>
  line(255, 1).refine((value) => !/[/\\]/.test(value) && !/^\.+$/.test(value), "must be a file name, not a path");

export const fileItem = once(() =>
  z
    .strictObject({
      type: z.enum(["upload", "youtube", "vimeo"]).describe("Uploaded file, or video hosted elsewhere"),
      name: displayName().describe("Display name of the file"),
      data: z
        .string()
        .min(1, "must not be empty")
        .max(uploadLimit)
        .describe("Content of the upload in base64, or URL of the video"),
    })
    .meta({ id: "FileItem", file: true }),
);
export type FileItem = z.infer<ReturnType<typeof fileItem>>;

/** Fits an image of 5 MiB in base64 and the rest of the request. */
export const imageLimit = 8 * 1024 * 1024;

/** The one image of a user, unit or group, in the form in which other things take their files. */
export const imageItems = () =>
  z.array(fileItem()).length(1).describe("The image: one upload of type PNG, JPEG, GIF or WebP, at most 5 MiB");

export const fileItems = () => z.array(fileItem()).max(50).describe("Files to attach");

/** Returns the name of the input field with the attached files. */
export const filesField: (op: AnyOperation) => string | undefined = memoize(
  (op) => fieldsOf(op).find(({ items }) => items?.file)?.name,
);

export const file = component("File", () => ({
  id: idOf("files"),
  name: z.string(),
  mime: z.string(),
  size: bytes().describe("0 for videos hosted elsewhere"),
  type: z.enum(["upload", "youtube", "vimeo"]),
  extension: z.string(),
  uploaded: z.boolean(),
  processing: z.boolean(),
  height: z.int().nullable(),
  width: z.int().nullable(),
  source: z.string().describe("Relative path of the content, or the URL of the video"),
  stream: z.string().nullable().describe("Path of the stream for players; only for video and audio"),
  versions: z.object({}).describe("Renderings by name; there are none"),
  screenshot: z.null().describe("Always null: videos have no screenshot"),
  date: unixTime(),
  created_at: unixTime(),
  updated_at: unixTime(),
  created_formatted: z.string().describe("YYYY-MM-DD HH:MM in the instance's time zone"),
  updated_formatted: z.string(),
}));
export type File = z.infer<ReturnType<typeof file>>;

/** The content of a file with its metadata. The bytes are loaded as they are read. */
export const content = once(() =>
  z.object({
    name: z.string(),
    mime: z.string(),
    size: bytes(),
    sha256: z.string().describe("SHA-256 of the content in base64url"),
    /** Reads the bytes from `from` to `to` (exclusive); all bytes by default. */
    read: z.custom<(from?: number, to?: number) => AsyncIterable<Uint8Array>>((value) => typeof value === "function"),
  }),
);
export type Content = z.infer<ReturnType<typeof content>>;
