import type { units as contract } from "../../contract/units.ts";
import type { Handlers } from "../pipeline/context.ts";
import { departments } from "./change-departments.ts";
import { image } from "./change-image.ts";
import { changing } from "./change-unit.ts";
import { importRows } from "./import-units.ts";
import { reading } from "./read-units.ts";

export const units: Handlers<typeof contract> = {
  ...reading,
  ...changing,
  ...departments,
  ...image,
  import: importRows,
};
