import { ServiceError } from "../../contract/errors.ts";

const exportIt = "export it as CSV (UTF-8) and import that file";

const binaries = [
  { kind: "an Excel workbook (.xlsx) or another ZIP archive", magic: [0x50, 0x4b, 0x03, 0x04], next: exportIt },
  { kind: "an Excel workbook (.xls)", magic: [0xd0, 0xcf, 0x11, 0xe0], next: exportIt },
  { kind: "UTF-16 without a byte order mark", magic: [undefined, 0], next: "save it as UTF-8" },
  { kind: "UTF-16 without a byte order mark", magic: [0], next: "save it as UTF-8" },
  { kind: "compressed by gzip", magic: [0x1f, 0x8b], next: "unpack it, or export a CSV file (UTF-8)" },
];

/** Throws `validation_failed` when a file that begins with that chunk is in a format that is often given in place of text. */
export function refuseBinary(chunk: Uint8Array, label: string): void {
  const found = binaries.find(({ magic }) => magic.every((byte, at) => byte === undefined || chunk[at] === byte));
  if (found === undefined) return;
  throw new ServiceError("validation_failed", `${label} seems to be ${found.kind}; ${found.next}.`);
}
