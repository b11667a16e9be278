import type { units as contract } from "../../contract/units.ts";
import type { Handlers } from "../pipeline/context.ts";
import { departments } from "./change-departments.ts";
import { unitChangeHandlers } from "./change-unit.ts";
import { importUnitRows } from "./import-units.ts";
import { unitReadHandlers } from "./read-units.ts";

export const units: Handlers<typeof contract> = {
  ...unitReadHandlers,
  ...unitChangeHandlers,
  ...departments,
  import: importUnitRows,
};
