import type { FieldFormat } from "../../../contract/field-metadata.ts";
import type { Field } from "../../../contract/field-spec.ts";
import { defaults, type Settings } from "../../../contract/settings.ts";

const units: Partial<Record<FieldFormat, string>> = { duration: "seconds", bytes: "bytes" };

export function explainSetting({ name, description, format }: Field): string {
  const defaultValue = defaults[name as keyof Settings];
  const facts = [format && units[format], defaultValue !== null && `default ${defaultValue}`].filter(Boolean);
  return facts.length > 0 ? `${description} (${facts.join(", ")})` : `${description}`;
}
