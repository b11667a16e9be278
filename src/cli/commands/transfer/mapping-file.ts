import { stringify } from "yaml";
import { z } from "zod";
import { tryParse } from "../../../contract/parse-input.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { MappingSpec } from "../../file-io/column-mapping.ts";
import { openDestination } from "../../file-io/open-destination.ts";
import { parseYaml, plainContent } from "../../file-io/parse-yaml.ts";
import { readNamedFile } from "../../file-io/value-sources.ts";
import { fieldSentences } from "../../output/field-sentences.ts";

export type ImportKey = "reference" | "email";

/** The mapping of an import, as flags give it and files save it. */
export interface ImportMapping extends MappingSpec {
  readonly key: ImportKey | undefined;
}

/** The schema of a saved mapping: the field of each column, null to leave it out, and the values of fields. */
const savedMapping = () =>
  z.strictObject({
    columns: z.record(z.string().min(1), z.string().nullable()).optional(),
    values: z.record(z.string(), z.string("must be text; put it in quotes")).optional(),
    key: z.enum(["reference", "email"]).optional(),
  });

/** Far more than the columns of a file need. */
const maxBytes = 1_048_576;

/** Reads a mapping that --save-mapping or a user has written, as YAML or JSON. */
export function readMappingFile(path: string): ImportMapping {
  const { parsed } = parseYaml(readNamedFile(path, "--mapping", { max: maxBytes }));
  const [broken] = parsed.errors;
  if (broken !== undefined) throw new UsageError(`--mapping: ${path} is neither YAML nor JSON: ${broken.message}`);
  const result = tryParse(savedMapping(), plainContent(parsed, `--mapping: ${path}`));
  if (!result.ok) throw new UsageError(`--mapping: ${path}: ${fieldSentences(result.fields).join("; ")}`);
  const { columns = {}, values = {}, key } = result.value;
  return { columns: Object.entries(columns).map(([column, field]) => ({ column, field: field ?? "" })), values, key };
}

/** Writes a mapping as JSON, or as YAML unless the file is called `.json`. */
export async function saveMappingFile(path: string, { columns, values, key }: ImportMapping): Promise<void> {
  const saved = {
    columns: Object.fromEntries(columns.map(({ column, field }) => [column, field || null])),
    ...(Object.keys(values).length > 0 && { values }),
    ...(key !== undefined && { key }),
  };
  await using file = await openDestination(path);
  await file.write(/\.json$/i.test(path) ? `${JSON.stringify(saved, null, 2)}\n` : stringify(saved));
  await file.keep();
}
