import { z } from "zod";
import {
  cursorInput,
  cursorPage,
  date,
  departmentBrief,
  email,
  id,
  idOf,
  line,
  multiline,
  name,
  noContent,
  reference,
  unixTime,
} from "./common-schemas.ts";
import { once, operation, operationGroup } from "./operation.ts";
import { importResult } from "./user-schemas.ts";

const unitType = () => z.enum(["unit", "department"]);
const path = () => z.string().meta({ description: "IDs from the root down to the unit, as in /1/4/17/" });

const address = once(() =>
  z
    .strictObject({
      company: line(255).nullable().optional(),
      registration_number: line(255).nullable().optional(),
      vat_number: line(255).nullable().optional(),
      street: line(255).nullable().optional(),
      street_additional: line(255).nullable().optional(),
      postal_code: line(64).nullable().optional(),
      city: line(255).nullable().optional(),
      country: line(255).nullable().optional(),
      phone: line(64).nullable().optional(),
      email: email().nullable().optional(),
      comments: multiline(2000).nullable().optional(),
      use_company_address: z.boolean().optional(),
    })
    .meta({ id: "Address" }),
);
const addresses = once(() =>
  z.strictObject({
    company: address().nullable().optional(),
    delivery: address().nullable().optional(),
    invoicing: address().nullable().optional(),
  }),
);
const clock = () =>
  z
    .int()
    .min(0)
    .max(2400)
    .refine((value) => value % 100 < 60, "must be a time of day as HHMM, like 930");
const openingHours = once(() =>
  z.strictObject({
    office_hours: z
      .array(z.strictObject({ day: z.int().min(1).max(7), starthours: clock(), endhours: clock() }))
      .max(50)
      .nullable()
      .optional(),
    closed: z
      .array(z.strictObject({ start: date(), end: date() }))
      .max(100)
      .nullable()
      .optional(),
  }),
);
const geo = once(() => z.strictObject({ lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }));

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
      image: z.null(),
      children: z
        .array(z.object(brief()))
        .optional()
        .meta({ description: "The first 500, of one unit; see /units/{id}/children" }),
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

const details = () => ({
  reference: reference().nullable().optional(),
  description: multiline(10_000).optional(),
  unit_type: unitType().optional(),
  contact: z.strictObject({ name: line(255).nullable().optional(), phone: line(64).nullable().optional() }).optional(),
  addresses: addresses().optional(),
  opening_hours: openingHours().optional(),
  geo: geo().nullable().optional(),
});

/** The schema of one import row. An empty parent stands for the root. */
export const unitRow = once(() =>
  z.strictObject({
    reference: reference(),
    name: name(),
    parent: line(255).optional().meta({ description: "Reference of the parent; empty: the root" }),
    unit_type: z.union([z.literal("").transform(() => undefined), unitType()]).optional(),
    description: multiline(10_000).optional(),
  }),
);

const department = () => ({ id: id("units"), department: id() });

export const units = operationGroup("units", {
  list: operation({
    method: "GET",
    path: "/units",
    bare: true,
    summary: "Units, by ID",
    access: "signed_in",
    input: () =>
      z.strictObject({
        parent: id("units").optional().meta({ description: "Children of this unit" }),
        below: id("units").optional().meta({ description: "All units below this one" }),
        unit_type: unitType().optional(),
        name: line(255, 1).optional().meta({ description: "Units whose name begins so" }),
        ...cursorInput(),
      }),
    output: () => cursorPage(unit()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  get: operation({
    method: "GET",
    path: "/units/{id}",
    bare: true,
    summary: "One unit",
    access: "signed_in",
    input: () => z.strictObject({ id: id("units") }),
    output: unit,
    status: 200,
  }),
  reference: operation({
    method: "GET",
    path: "/units/reference/{unit=reference}",
    bare: true,
    summary: "The unit with a reference",
    access: "signed_in",
    input: () => z.strictObject({ reference: reference() }),
    output: unit,
    status: 200,
  }),
  tree: operation({
    method: "GET",
    path: "/units/tree",
    bare: true,
    summary: "A branch of the tree: each unit is followed by all below it",
    access: "signed_in",
    input: () =>
      z.strictObject({
        unit: id("units").optional().meta({ description: "Where the branch begins; default the root" }),
        depth: z.int().min(0).max(100).optional().meta({ description: "Levels below it" }),
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
    bare: true,
    summary: "The units directly below a unit",
    access: "signed_in",
    input: () => z.strictObject({ id: id("units"), ...cursorInput() }),
    output: () => cursorPage(unit()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  create: operation({
    method: "POST",
    path: "/units",
    bare: true,
    summary: "Create a unit",
    access: { ability: "units", at: [{ unit: "parent" }] },
    input: () =>
      z.strictObject({ name: name(), parent: id("units").meta({ description: "The unit above" }), ...details() }),
    output: unit,
    status: 201,
    location: "/units/{id}",
    errors: ["conflict"],
  }),
  update: operation({
    method: "PATCH",
    path: "/units/{id}",
    bare: true,
    summary: "Change a unit",
    description: "Only what is named changes. A unit gets another parent by move.",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ id: id("units"), name: name().optional(), ...details() }),
    output: unit,
    status: 200,
    errors: ["conflict"],
  }),
  move: operation({
    method: "POST",
    path: "/units/{id}/move",
    bare: true,
    summary: "Move a unit with all below it to another parent",
    description:
      "Also takes every ability that somebody has at the new parent or above it and not from above the old place: in the unit that moves, over which it will reach.",
    access: { ability: "units", at: [{ unit: "id" }, { unit: "parent" }] },
    input: () => z.strictObject({ id: id("units"), parent: id("units").meta({ description: "The new unit above" }) }),
    output: unit,
    status: 200,
    errors: ["conflict"],
  }),
  delete: operation({
    method: "DELETE",
    path: "/units/{id}",
    bare: true,
    summary: "Delete a unit",
    description:
      "One that has children or members only with transfer, which names the unit that takes them. A transfer also takes the abilities that members of the unit have by it, in the unit that takes them, and, as for a move, those that somebody has there or above it, in the unit that goes. Only administrators transfer themselves.",
    access: { ability: "units", at: [{ unit: "id" }, { unit: "transfer" }] },
    input: () =>
      z.strictObject({
        id: id("units"),
        transfer: id("units").optional().meta({ description: "The unit that takes children and members" }),
      }),
    output: noContent,
    status: 204,
    errors: ["conflict"],
  }),
  departmentAdd: operation({
    method: "POST",
    path: "/units/{id}/departments",
    bare: true,
    summary: "Add a department to a unit",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ id: id("units"), name: name() }),
    output: departmentBrief,
    status: 201,
    errors: ["conflict"],
  }),
  departmentUpdate: operation({
    method: "PATCH",
    path: "/units/{id}/departments/{department}",
    bare: true,
    summary: "Rename a department",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject({ ...department(), name: name() }),
    output: departmentBrief,
    status: 200,
    errors: ["conflict"],
  }),
  departmentRemove: operation({
    method: "DELETE",
    path: "/units/{id}/departments/{department}",
    bare: true,
    summary: "Remove a department; its members stay in the unit",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => z.strictObject(department()),
    output: noContent,
    status: 204,
  }),
  import: operation({
    method: "POST",
    path: "/units/import",
    bare: true,
    summary: "Create and change units by reference, many at once",
    description:
      "Good rows go in, in one transaction; each bad row is left out with its reasons. Parents may follow their children. A row that moves a unit takes what units.move takes.",
    access: { ability: "units" },
    input: () =>
      z.strictObject({
        rows: z.array(z.record(z.string(), z.unknown())).max(1000),
        assume: z
          .array(reference())
          .max(1000)
          .optional()
          .meta({ description: "In a dry run: references that an earlier part of the same import would have created" }),
      }),
    output: importResult,
    status: 200,
    bodyLimit: 4_194_304,
  }),
});
