import { z } from "zod";
import { forms, formVersion, sections } from "./organisation-schema.ts";

/** Name of the schema in exported files: a file beside them. */
export const schemaFile = "organisation.schema.json";

/** Returns the JSON Schema of an organisation file, for editors. */
export function organisationJsonSchema(): Record<string, unknown> {
  const lists = Object.fromEntries(sections.map((section) => [section, z.array(forms[section]()).optional()]));
  const file = z.strictObject({ $schema: z.string().optional(), version: z.literal(formVersion).optional(), ...lists });
  const schema = z.toJSONSchema(file, { io: "input", unrepresentable: "any", target: "draft-7" });
  return { title: "Organisation of wcs", ...schema };
}
