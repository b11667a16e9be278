import { z } from "zod";
import {
  alike,
  component,
  email,
  inputComponent,
  inputObject,
  line,
  multiline,
  nullable,
  shownText,
} from "./common-schemas.ts";

const text = (max: number, description: string) => nullable(line(max)).describe(description);

const addressInput = inputComponent("AddressInput", () => ({
  company: text(255, "Name of the company"),
  registration_number: text(255, "Registration number of the company"),
  vat_number: text(255, "VAT identification number"),
  street: text(255, "Street and house number"),
  street_additional: text(255, "Second line of the street address"),
  postal_code: text(64, "Postal or ZIP code"),
  city: text(255, "City or town"),
  country: text(255, "Name of the country"),
  phone: text(64, "Phone number"),
  email: nullable(email()),
  comments: nullable(multiline(2000)).describe("Further remarks"),
  use_company_address: z.boolean().optional().describe("Use the company address instead"),
}));

export const addressesInput = inputObject(() => ({
  company: addressInput().nullish().describe("Address of the company"),
  delivery: addressInput().nullish().describe("Address for deliveries"),
  invoicing: addressInput().nullish().describe("Address for invoices"),
}));
export type AddressesInput = z.infer<ReturnType<typeof addressesInput>>;

const address = component("Address", () => ({
  ...alike(["company", "registration_number", "vat_number", "street", "street_additional", "postal_code"], shownText),
  ...alike(["city", "country", "phone", "email", "comments"], shownText),
  use_company_address: z.boolean(),
}));

export const addresses = () => z.object(alike(["company", "delivery", "invoicing"], () => address().nullable()));
export type Address = z.infer<ReturnType<typeof address>>;
