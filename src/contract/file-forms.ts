import { z } from "zod";
import { line } from "./fields.ts";
import { type AnyOperation, once } from "./operation.ts";
import { fieldsOf } from "./shape.ts";

/** Base64 of 25 MiB and what goes around it. */
export const uploadLimit = 40 * 1024 * 1024;

const displayName = () =>
  line(255, 1).refine((value) => !/[/\\]/.test(value) && !/^\.+$/.test(value), "must be a file name, not a path");

/** A file as it is sent along with an event, a post or a message. */
export const fileItem = once(() =>
  z
    .strictObject({
      type: z.enum(["upload", "youtube", "vimeo"]),
      name: displayName().meta({ description: "Shown to people" }),
      data: z
        .string()
        .min(1, "must not be empty")
        .max(uploadLimit)
        .meta({ description: "Of an upload its content in base64, else the URL of the video" }),
    })
    .meta({ id: "FileItem" }),
);
export type FileItem = z.infer<ReturnType<typeof fileItem>>;

export const fileItems = () => z.array(fileItem()).max(50);

/** The field of the input that takes files, if the operation has one. */
export function filesField(op: AnyOperation): string | undefined {
  return fieldsOf(op).find(({ items }) => items?.model === "FileItem")?.name;
}

export const file = once(() =>
  z
    .object({
      id: z.int(),
      name: z.string(),
      mime: z.string(),
      size: z.int().meta({ description: "Bytes; 0 for videos elsewhere" }),
      type: z.enum(["upload", "youtube", "vimeo"]),
      extension: z.string(),
      uploaded: z.boolean(),
      processing: z.boolean(),
      height: z.int().nullable(),
      width: z.int().nullable(),
      source: z.string().meta({ description: "Relative path of the content, or the URL of the video" }),
      stream: z.string().nullable().meta({ description: "What a player plays: of video and audio only" }),
      versions: z.array(z.never()),
      screenshot: z.null(),
      date: z.int(),
      created_at: z.int(),
      updated_at: z.int(),
      created_formatted: z.string().meta({ description: "YYYY-MM-DD HH:MM in the instance's time zone" }),
      updated_formatted: z.string(),
    })
    .meta({ id: "File" }),
);
export type File = z.infer<ReturnType<typeof file>>;

/** Bytes with what is said of them, as who asks for a file gets it. They are fetched as they are read. */
export const content = once(() =>
  z.object({
    name: z.string(),
    mime: z.string(),
    size: z.int(),
    sha256: z.string().meta({ description: "Of all bytes, base64url" }),
    /** The bytes from `from` up to, not including, `to`; all of them when nothing is said. */
    read: z.custom<(from?: number, to?: number) => AsyncIterable<Uint8Array>>((value) => typeof value === "function"),
  }),
);
export type Content = z.infer<ReturnType<typeof content>>;
