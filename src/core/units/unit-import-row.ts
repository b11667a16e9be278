import type { z } from "zod";
import type { unitRow } from "../../contract/unit-schemas.ts";
import type { RowOf } from "../../store/schema/schema.ts";

export type UnitImportRow = z.infer<ReturnType<typeof unitRow>>;

type Compared = "id" | "reference" | "name" | "unit_type" | "description" | "parent_id" | "path" | "level";
export type ExistingUnit = RowOf<"units", Compared>;
