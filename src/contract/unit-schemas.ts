import { z } from "zod";
import { addresses, addressesInput } from "./address-schemas.ts";
import {
  clearable,
  date,
  departmentBrief,
  id,
  idOf,
  line,
  multiline,
  name,
  nullable,
  reference,
  unitCore,
  unixTime,
} from "./common-schemas.ts";
import { file } from "./file-schemas.ts";
import { once } from "./operation.ts";
import { departmentId } from "./user-schemas.ts";

export const unitType = () => z.enum(["unit", "department"]).meta({ description: "Kind of unit" });
export const unitName = () => name().meta({ description: "Name of the unit" });
const path = () => z.string().meta({ description: "IDs from the root down to the unit, like /1/4/17/" });
const optionalLine = (max: number, description: string) => nullable(line(max)).meta({ description });

const clock = () =>
  z
    .int()
    .min(0)
    .max(2400)
    .refine((value) => value % 100 < 60, "must be a time of day as HHMM, like 930")
    .meta({ description: "Time of day as HHMM, like 930" });
const openingHours = once(() =>
  z.strictObject({
    office_hours: z
      .array(
        z.strictObject({
          day: z.int().min(1).max(7).meta({ description: "Weekday, 1 (Monday) to 7 (Sunday)" }),
          starthours: clock(),
          endhours: clock(),
        }),
      )
      .max(50)
      .nullable()
      .optional()
      .meta({ description: 'Opening hours by weekday, like [{"day": 1, "starthours": 900, "endhours": 1730}]' }),
    closed: z
      .array(
        z.strictObject({
          start: date().meta({ description: "First day" }),
          end: date().meta({ description: "Last day" }),
        }),
      )
      .max(100)
      .nullable()
      .optional()
      .meta({ description: 'Periods of closure, like [{"start": "2026-12-24", "end": "2026-12-26"}]' }),
  }),
);
const geo = once(() =>
  z.strictObject({
    lat: z.number().min(-90).max(90).meta({ description: "Latitude in degrees, -90 to 90" }),
    lng: z.number().min(-180).max(180).meta({ description: "Longitude in degrees, -180 to 180" }),
  }),
);

const stats = () => z.object({ users: z.int(), children: z.int(), children_total: z.int() });

const brief = once(() => ({ ...unitCore(), url: z.string() }));

export const unit = once(() =>
  z
    .object({
      ...brief(),
      reference: z.string().nullable(),
      description: z.string(),
      path: path(),
      features: z.array(z.object({ id: z.int(), name: z.string(), url: z.string() })),
      departments: z.array(departmentBrief()),
      parent: z.object(brief()).nullable(),
      image: file().nullable(),
      children: z
        .array(z.object(brief()))
        .optional()
        .meta({ description: "The first 500 children; only for a single unit. See /units/{id}/children" }),
      addresses: addresses(),
      contact: z.object({ name: z.string().nullable(), phone: z.string().nullable() }),
      opening_hours: openingHours(),
      geo: z.object({ lat: z.number().nullable(), lng: z.number().nullable() }),
      stats: stats(),
      permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
      created_at: unixTime(),
      updated_at: unixTime(),
    })
    .meta({ id: "Unit" }),
);

/** A unit in the tree. */
export const treeUnit = once(() =>
  z
    .object({
      ...brief(),
      reference: z.string().nullable(),
      path: path(),
      parent_id: idOf("units").nullable(),
      stats: stats(),
    })
    .meta({ id: "TreeUnit" }),
);

const unitDescription = () => multiline(10_000).meta({ description: "Description of the unit" });
/** The fields of a unit besides its name and parent. */
export const details = () => ({
  reference: nullable(reference()),
  description: clearable(unitDescription()),
  unit_type: unitType().optional(),
  contact: z
    .strictObject({
      name: optionalLine(255, "Name of the contact person"),
      phone: optionalLine(64, "Phone number of the contact person"),
    })
    .optional()
    .meta({ description: "Contact person" }),
  addresses: addressesInput().optional().meta({ description: "Company, delivery and invoicing address" }),
  opening_hours: openingHours().optional().meta({ description: "Opening hours and closures" }),
  geo: geo().nullable().optional().meta({ description: "Position on the map" }),
});

/** The schema of one import row. An empty parent stands for the root. */
export const unitRow = once(() =>
  z.strictObject({
    reference: reference(),
    name: unitName(),
    parent: line(255).optional().meta({ description: "Reference of the parent; empty for the root" }),
    unit_type: z.union([z.literal("").transform(() => undefined), unitType()]).optional(),
    description: clearable(unitDescription()),
  }),
);

export const departmentName = () => name().meta({ description: "Name of the department" });
export const department = () => ({ id: id("units"), department: departmentId() });
