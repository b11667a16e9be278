import type { Selectable } from "kysely";
import type { z } from "zod";
import type { unitRow } from "../../contract/unit-schemas.ts";
import type { Schema } from "../../store/schema/schema.ts";

export type UnitImportRow = z.infer<ReturnType<typeof unitRow>>;

export type ExistingUnit = Pick<
  Selectable<Schema["units"]>,
  "id" | "reference" | "name" | "unit_type" | "description" | "parent_id" | "path" | "level"
>;
