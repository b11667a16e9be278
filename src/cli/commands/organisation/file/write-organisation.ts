import { formVersion, type OrganisationSection, schemaFile } from "./organisation-schema.ts";
import { withoutEmpty } from "./without-empty.ts";

/** Fields that are written even when they are empty: files should show who has no rights. */
const always = new Set(["abilities", "user_types"]);

/** Returns the entry without empty fields and without the usual values of `admin`, `active` and `provider`. */
function withoutDefaults(entry: object): Record<string, unknown> {
  const full = Object.entries(entry).flatMap(([name, value]) => {
    if (always.has(name)) return [[name, value]];
    if (name === "memberships") return value.length === 0 ? [] : [[name, value.map(withoutDefaults)]];
    if ((name === "admin" && value === false) || (name === "provider" && value === "local")) return [];
    if (name === "active" && value === true && !("uri" in entry)) return [];
    const kept = withoutEmpty(value);
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(full);
}

/** The syntax of a format. Entries and the ends of sections get the number of the entries before them. */
type Form = Awaited<ReturnType<typeof yamlForm>>;

export const formOf = async (format: "yaml" | "json"): Promise<Form> => (format === "json" ? jsonForm : yamlForm());

const jsonForm: Form = {
  head: `{\n  "$schema": "./${schemaFile}",\n  "version": ${formVersion},\n  "complete": true`,
  open: (section) => `,\n  "${section}": [`,
  entry: (entry, before) =>
    `${before > 0 ? "," : ""}\n${JSON.stringify(withoutDefaults(entry), null, 2).replace(/^/gm, "    ")}`,
  close: (entries) => (entries > 0 ? "\n  ]" : "]"),
  end: "\n}\n",
};

async function yamlForm() {
  const { Document, isScalar, visit } = await import("yaml");
  // Quotes words such as NO and 1:20, which readers of YAML 1.1 take for other values. Made once, as it takes time.
  const { schema } = new Document(null, { compat: "yaml-1.1" });
  const text = (entry: object) => {
    const document = new Document([entry], { aliasDuplicateObjects: false, schema });
    // Lists of words are written on one line.
    visit(document, {
      Scalar(_, scalar) {
        // A block scalar would absorb the lines below it or lose invisible characters in these texts.
        if (typeof scalar.value === "string" && /^\s|[^\S\n]\n|\n\s+$/.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
      },
      Seq(_, list) {
        list.flow = list.items.every((item) => isScalar(item));
      },
    });
    return document.toString({ lineWidth: 0, flowCollectionPadding: false });
  };
  return {
    head: `# yaml-language-server: $schema=./${schemaFile}\n# An organisation: wcs diff FILE compares, wcs apply FILE carries out; wcs help organisation\nversion: ${formVersion}\n# Fields that an entry lacks are empty. With false, they stay unchanged.\ncomplete: true\n`,
    open: (section: OrganisationSection) => `\n${section}:`,
    entry: (entry: object, before: number) => `${before > 0 ? "" : "\n"}${text(withoutDefaults(entry))}`,
    close: (entries: number): string => (entries > 0 ? "" : " []\n"),
    end: "",
  };
}
