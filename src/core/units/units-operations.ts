import type { units as contract } from "../../contract/units.ts";
import { imageHandlers } from "../files/owner-image.ts";
import type { Checks, Handlers } from "../pipeline/context.ts";
import { departments } from "./change-departments.ts";
import { unitChangeHandlers } from "./change-unit.ts";
import { importUnitRows } from "./import-units.ts";
import { treeIssues, unitFilterIssues, unitReadHandlers } from "./read-units.ts";

const image = imageHandlers("unit");

export const units: Handlers<typeof contract> = {
  ...unitReadHandlers,
  ...unitChangeHandlers,
  ...departments,
  imageSet: image.set,
  imageDelete: image.delete,
  import: importUnitRows,
};

export const checks: Checks<typeof contract> = { list: unitFilterIssues, tree: treeIssues };
