import type { MappingSpec } from "../../file-io/column-mapping.ts";

/** The field that identifies the user of a row. */
export type ImportKey = "reference" | "email";

/** The mapping of an import, as flags give it and files save it. */
export interface ImportMapping extends MappingSpec {
  readonly key: ImportKey | undefined;
}
