import { z } from "zod";
import { addresses, addressesInput } from "./address-schemas.ts";
import {
  clearable,
  cursorInput,
  cursorPage,
  date,
  departmentBrief,
  id,
  idOf,
  line,
  multiline,
  name,
  noContent,
  nullable,
  reference,
  unixTime,
} from "./common-schemas.ts";
import { file, imageItems, imageLimit } from "./file-schemas.ts";
import { once, operation, operationGroup } from "./operation.ts";
import { departmentId, importResult, importRows } from "./user-schemas.ts";

const unitType = () => z.enum(["unit", "department"]).meta({ description: "Kind of unit" });
const unitName = () => name().meta({ description: "Name of the unit" });
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
      .meta({ description: 'Opening hours by weekday, like [{"day":1,"starthours":900,"endhours":1730}]' }),
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
      .meta({ description: 'Periods of closure, like [{"start":"2026-12-24","end":"2026-12-26"}]' }),
  }),
);
const geo = once(() =>
  z.strictObject({
    lat: z.number().min(-90).max(90).meta({ description: "Latitude in degrees, -90 to 90" }),
    lng: z.number().min(-180).max(180).meta({ description: "Longitude in degrees, -180 to 180" }),
  }),
);

const brief = once(() => ({
  content_type: z.literal("unit"),
  id: idOf("units"),
  name: z.string(),
  level: z.int(),
  unit_type: z.string(),
  url: z.string(),
}));

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
      stats: z.object({ users: z.int(), children: z.int(), children_total: z.int() }),
      permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
      created_at: unixTime(),
      updated_at: unixTime(),
    })
    .meta({ id: "Unit" }),
);

const unitDescription = () => multiline(10_000).meta({ description: "Description of the unit" });
const details = () => ({
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

const departmentName = () => name().meta({ description: "Name of the department" });
const department = () => ({ id: id("units"), department: departmentId() });

export const units = operationGroup("units", {
  list: operation({
    method: "GET",
    path: "/units",
    summary: "List units",
    description: "Units are sorted by ID.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        parent: id("units").optional().meta({ description: "Only children of the unit with this ID" }),
        below: id("units").optional().meta({ description: "Only units on any level below the unit with this ID" }),
        unit_type: unitType().optional().meta({ description: "Only units of this kind" }),
        name: line(255, 1).optional().meta({ description: "Only units whose name begins with this text" }),
        ...cursorInput(),
      }),
    output: () => cursorPage(unit()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  get: operation({
    method: "GET",
    path: "/units/{id}",
    summary: "Get a unit",
    access: "signed_in",
    input: () => z.strictObject({ id: id("units") }),
    output: unit,
    status: 200,
  }),
  reference: operation({
    method: "GET",
    path: "/units/reference/{unit=reference}",
    summary: "Get a unit by reference",
    access: "signed_in",
    input: () => z.strictObject({ reference: reference() }),
    output: unit,
    status: 200,
  }),
  tree: operation({
    method: "GET",
    path: "/units/tree",
    summary: "List a branch of the unit tree",
    description: "Each unit is followed by the units below it.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        unit: id("units").optional().meta({ description: "ID of the unit at the top (default the root)" }),
        depth: z.int().min(0).max(100).optional().meta({ description: "Number of levels below the top (default all)" }),
        ...cursorInput(500, 500),
      }),
    output: () =>
      cursorPage(
        z
          .object({
            ...brief(),
            reference: z.string().nullable(),
            path: path(),
            parent_id: idOf("units").nullable(),
            stats: z.object({ users: z.int(), children: z.int(), children_total: z.int() }),
          })
          .meta({ id: "TreeUnit" }),
      ),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  children: operation({
    method: "GET",
    path: "/units/{id}/children",
    summary: "List the children of a unit",
    access: "signed_in",
    input: () => z.strictObject({ id: id("units"), ...cursorInput() }),
    output: () => cursorPage(unit()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  create: operation({
    method: "POST",
    path: "/units",
    summary: "Create a unit",
    access: { ability: "units", at: [{ unit: "parent" }] },
    input: () =>
      z.strictObject({
        name: unitName(),
        parent: id("units").meta({ description: "ID of the parent unit" }),
        ...details(),
      }),
    output: unit,
    status: 201,
    location: "/units/{id}",
    errors: ["conflict"],
  }),
  update: operation({
    method: "PATCH",
    path: "/units/{id}",
    summary: "Update a unit",
    description:
      "Only the given fields change, of contact, opening hours and each address, too; null clears an address. Use move to change the parent.",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ id: id("units"), name: unitName().optional(), ...details() }),
    output: unit,
    status: 200,
    errors: ["conflict"],
  }),
  move: operation({
    method: "POST",
    path: "/units/{id}/move",
    summary: "Move a unit and everything below it",
    description:
      "Users with abilities at or above the new parent gain them in the moved unit. You need each ability that somebody gains in this way, in the moved unit.",
    access: { ability: "units", at: [{ unit: "id" }, { unit: "parent" }] },
    input: () => z.strictObject({ id: id("units"), parent: id("units").meta({ description: "ID of the new parent" }) }),
    output: unit,
    status: 200,
    errors: ["conflict"],
  }),
  delete: operation({
    method: "DELETE",
    path: "/units/{id}",
    summary: "Delete a unit",
    description:
      "A unit with children or members can be deleted only with transfer, the unit that receives them. A transfer also needs the abilities that members have through the deleted unit, in the receiving unit, and, as for a move, the abilities that somebody has at or above the receiving unit, in the deleted unit. Only administrators can transfer themselves.",
    access: { ability: "units", at: [{ unit: "id" }, { unit: "transfer" }] },
    input: () =>
      z.strictObject({
        id: id("units"),
        transfer: id("units").optional().meta({ description: "ID of the unit that receives the children and members" }),
      }),
    output: noContent,
    status: 204,
    errors: ["conflict"],
  }),
  imageSet: operation({
    method: "PUT",
    path: "/units/{id}/image",
    summary: "Set a unit's image",
    description: "Replaces the previous image. Download it by its ID, as that of any file.",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ id: id("units"), files: imageItems() }),
    output: noContent,
    status: 204,
    bodyLimit: imageLimit,
  }),
  imageDelete: operation({
    method: "DELETE",
    path: "/units/{id}/image",
    summary: "Delete a unit's image",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ id: id("units") }),
    output: noContent,
    status: 204,
  }),
  departmentAdd: operation({
    method: "POST",
    path: "/units/{id}/departments",
    summary: "Add a department to a unit",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ id: id("units"), name: departmentName() }),
    output: departmentBrief,
    status: 201,
    errors: ["conflict"],
  }),
  departmentUpdate: operation({
    method: "PATCH",
    path: "/units/{id}/departments/{department}",
    summary: "Rename a department",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ ...department(), name: departmentName() }),
    output: departmentBrief,
    status: 200,
    errors: ["conflict"],
  }),
  departmentRemove: operation({
    method: "DELETE",
    path: "/units/{id}/departments/{department}",
    summary: "Remove a department",
    description: "Its members stay in the unit.",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject(department()),
    output: noContent,
    status: 204,
  }),
  import: operation({
    method: "POST",
    path: "/units/import",
    summary: "Create or update many units",
    description:
      "Rows are matched by reference; a parent may follow its children. Valid rows are imported in one transaction; invalid rows are skipped, and the response has their issues. A row that moves a unit needs the same abilities as units.move.",
    access: { ability: "units" },
    input: () =>
      z.strictObject({
        rows: importRows(),
        assume: z
          .array(reference())
          .max(1000)
          .optional()
          .meta({ description: "In a dry run: references that an earlier part of the same import would create" }),
      }),
    output: importResult,
    status: 200,
    bodyLimit: 4_194_304,
  }),
});
