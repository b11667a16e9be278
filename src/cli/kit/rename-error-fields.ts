import { ServiceError } from "../../contract/errors.ts";
import type { FileItem } from "../../contract/file-schemas.ts";
import { attributeOf, type Input, type InputSpec, labelOf, longOf, type ParsedLine, wordOf } from "./read-input.ts";

/** Replaces field names in a validation error by the names that `nameOf` returns. Other errors stay unchanged. */
export function renameErrorFields(error: unknown, nameOf: (field: string) => string): unknown {
  if (!(error instanceof ServiceError) || !error.fields) return error;
  const sentences = Object.entries(error.fields).map(([field, reasons]) => `${nameOf(field)} ${reasons.join(" and ")}`);
  if (sentences.length === 0) return error;
  const { fields: wrong, hint } = error;
  return new ServiceError(error.code, sentences.join("; "), { fields: wrong, ...(hint && { hint }) });
}

/** Returns a function that names the argument or flag of a field, as in `--contact-phone` for `contact.phone`. */
export function nameInLine(
  { args, flags, more }: InputSpec,
  line: ParsedLine,
  input: Input,
): (field: string) => string {
  return (field) => {
    const [first = "", index = ""] = field.split(".");
    const file = index && (input[first] as Partial<FileItem>[] | undefined)?.[Number(index)]?.name;
    const arg = args.find((candidate) => candidate.field === first);
    if (arg) return `<${labelOf(arg)}>${file ? ` ${file}` : ""}`;
    const other = more.find((flag) => flag.field === first && line.options[attributeOf(flag)] !== undefined);
    if (other) return longOf(other);
    const flag = flags.find(({ path }) => `${field}.`.startsWith(`${path.join(".")}.`));
    if (!flag) return field;
    return `${wordOf(flag, line)}${flag.reads === "files" && file ? ` ${file}` : ""}`;
  };
}
