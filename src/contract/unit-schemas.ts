import { z } from "zod";
import {
  clearable,
  component,
  date,
  departmentBrief,
  email,
  fieldsNamed,
  id,
  idOf,
  inputComponent,
  line,
  multiline,
  name,
  nullable,
  nullableText,
  reference,
  unitCore,
  unixTime,
} from "./common-schemas.ts";
import { file } from "./file-schemas.ts";
import { once } from "./once.ts";
import { departmentId } from "./user-schemas.ts";

const optionalLine = (max: number, description: string) => nullable(line(max)).describe(description);

const addressInput = inputComponent("AddressInput", () => ({
  company: optionalLine(255, "Name of the company"),
  registration_number: optionalLine(255, "Registration number of the company"),
  vat_number: optionalLine(255, "VAT identification number"),
  street: optionalLine(255, "Street and house number"),
  street_additional: optionalLine(255, "Second line of the street address"),
  postal_code: optionalLine(64, "Postal or ZIP code"),
  city: optionalLine(255, "City or town"),
  country: optionalLine(255, "Name of the country"),
  phone: optionalLine(64, "Phone number"),
  email: nullable(email()),
  comments: nullable(multiline(2000)).describe("Further remarks"),
  use_company_address: z.boolean().optional().describe("Use the company address instead"),
}));

const addressesInput = inputComponent("AddressesInput", () => ({
  company: addressInput().nullish().describe("Address of the company"),
  delivery: addressInput().nullish().describe("Address for deliveries"),
  invoicing: addressInput().nullish().describe("Address for invoices"),
}));
export type AddressesInput = z.infer<ReturnType<typeof addressesInput>>;

const address = component("Address", () => ({
  ...fieldsNamed(
    ["company", "registration_number", "vat_number", "street", "street_additional", "postal_code"],
    nullableText,
  ),
  ...fieldsNamed(["city", "country", "phone", "email", "comments"], nullableText),
  use_company_address: z.boolean(),
}));

const addresses = () => z.object(fieldsNamed(["company", "delivery", "invoicing"], () => address().nullable()));
export type Address = z.infer<ReturnType<typeof address>>;

export const unitType = () => z.enum(["unit", "department"]).describe("Kind of unit");
export const unitName = () => name().describe("Name of the unit");
const path = () => z.string().describe("IDs from the root down to the unit, like /1/4/17/");

const contactInput = inputComponent("ContactInput", () => ({
  name: optionalLine(255, "Name of the contact person"),
  phone: optionalLine(64, "Phone number of the contact person"),
}));

const clock = () =>
  z
    .int()
    .min(0)
    .max(2400)
    .refine((value) => value % 100 < 60, "must be a time of day as HHMM, like 930")
    .describe("Time of day as HHMM, like 930");
const openingHours = inputComponent("OpeningHoursInput", () => ({
  office_hours: z
    .array(
      z.strictObject({
        day: z.int().min(1).max(7).describe("Weekday, 1 (Monday) to 7 (Sunday)"),
        starthours: clock(),
        endhours: clock(),
      }),
    )
    .max(50)
    .nullish()
    .meta({ description: 'Opening hours by weekday, like [{"day": 1, "starthours": 900, "endhours": 1730}]' }),
  closed: z
    .array(
      z
        .strictObject({ start: date().describe("First day"), end: date().describe("Last day") })
        .refine(({ start, end }) => start <= end, { path: ["end"], error: "must not be before the start" }),
    )
    .max(100)
    .nullish()
    .meta({ description: 'Periods of closure, like [{"start": "2026-12-24", "end": "2026-12-26"}]' }),
}));
const geo = inputComponent("PositionInput", () => ({
  lat: z.number().min(-90).max(90).describe("Latitude in degrees, -90 to 90"),
  lng: z.number().min(-180).max(180).describe("Longitude in degrees, -180 to 180"),
}));

const stats = () => z.object({ users: z.int(), children: z.int(), children_total: z.int() });

const brief = once(() => ({ ...unitCore(), url: z.string() }));

export const unit = component("Unit", () => ({
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
    .describe("The first 500 children; only for a single unit. See /units/{id}/children"),
  addresses: addresses(),
  contact: z.object({ name: z.string().nullable(), phone: z.string().nullable() }),
  opening_hours: z.object(openingHours().shape).required(),
  geo: z.object({ lat: z.number().nullable(), lng: z.number().nullable() }),
  stats: stats(),
  permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
  created_at: unixTime(),
  updated_at: unixTime(),
}));

export const treeUnit = component("TreeUnit", () => ({
  ...brief(),
  reference: z.string().nullable(),
  path: path(),
  parent_id: idOf("units").nullable(),
  stats: stats(),
}));

const unitDescription = () => multiline(10_000).describe("Description of the unit");
/** The fields of a unit besides its name and parent. */
export const unitDetails = () => ({
  reference: nullable(reference()),
  description: clearable(unitDescription()),
  unit_type: unitType().optional(),
  contact: contactInput().nullish().describe("Contact person"),
  addresses: addressesInput().nullish().describe("Company, delivery and invoicing address"),
  opening_hours: openingHours().nullish().describe("Opening hours and closures"),
  geo: geo().nullish().describe("Position on the map"),
});

/** The schema of one import row. An empty parent stands for the root. */
export const unitRow = inputComponent("UnitRow", () => ({
  reference: reference(),
  name: unitName(),
  parent: z
    .union([z.literal(""), reference()])
    .optional()
    .describe("Reference of the parent; empty for the root"),
  unit_type: z.union([z.literal("").transform(() => undefined), unitType()]).optional(),
  description: clearable(unitDescription()),
}));

export const departmentName = () => name().describe("Name of the department");
export const department = () => ({ id: id("units"), department: departmentId() });
