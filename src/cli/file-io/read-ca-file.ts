import { UsageError } from "../errors/cli-errors.ts";
import { readNamedFile } from "./value-sources.ts";

/** Returns the certificates of --ca-file. Throws a `UsageError` when there are none, which TLS would not mention. */
export function readCaFile(path: string): string {
  const text = readNamedFile(path, "--ca-file");
  if (!text.includes("CERTIFICATE-----"))
    throw new UsageError(`--ca-file: ${path} contains no certificate in PEM format`);
  return text;
}
