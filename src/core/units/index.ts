import type { units as contract } from "../../contract/units.ts";
import type { Handlers } from "../context.ts";
import { changing } from "./changing.ts";
import { departments } from "./departments.ts";
import { importRows } from "./import.ts";
import { reading } from "./reading.ts";

export const units: Handlers<typeof contract> = { ...reading, ...changing, ...departments, import: importRows };
