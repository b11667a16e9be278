import { UsageError } from "../failure.ts";
import type { Globals } from "../globals.ts";
import { withoutEmpty } from "./change.ts";
import { formVersion, type Section } from "./form.ts";

/** How the file is written. */
export type Format = "yaml" | "json";

/** The format that was asked for, else the one that the name of the file says; else YAML. */
export function formatOf(file: string, flag: unknown, { json, output }: Globals): Format {
  const asked = (flag as string | undefined) ?? (json ? "json" : output);
  if (asked === undefined) return /\.json$/i.test(file) ? "json" : "yaml";
  if (asked === "yaml" || asked === "json") return asked;
  throw new UsageError(`an organisation is written as yaml or json, not ${asked}`);
}

/** Makes the text of a file, entry by entry; sections come in their order. */
export interface Text {
  readonly head: string;
  entry(section: Section, entry: object): string;
  /** What ends it, with the sections that have no entries. */
  tail(): string;
}

/** What is always written: without it, what is empty here would stay as it is elsewhere. */
const always = new Set(["abilities", "user_types"]);

/** The entry without what is empty, and what nearly nobody is. */
function essence(entry: object): Record<string, unknown> {
  const full = Object.entries(entry).flatMap(([name, value]) => {
    if (always.has(name)) return [[name, value]];
    if (name === "memberships") return value.length === 0 ? [] : [[name, value.map(essence)]];
    if ((name === "admin" && value === false) || (name === "active" && value === true && !("uri" in entry))) return [];
    const kept = withoutEmpty(value);
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(full);
}

export async function createText(format: Format, sections: readonly Section[]): Promise<Text> {
  const form = format === "json" ? jsonForm : await yamlForm();
  const left = [...sections];
  // Before the first section there is none, and after the last one.
  let current: Section | undefined | null = null;
  let count = 0;
  const moveTo = (section: Section | undefined) => {
    let text = "";
    while (current !== section) {
      if (current !== null) text += form.close(count);
      current = left.shift();
      count = 0;
      if (current !== undefined) text += form.open(current);
    }
    return text;
  };
  return {
    head: form.head,
    entry: (section, entry) => moveTo(section) + form.entry(essence(entry), count++),
    tail: () => moveTo(undefined) + form.end,
  };
}

/** How a file is put together. Entries and sections come with the number of the entries before. */
interface Form {
  readonly head: string;
  open(section: Section): string;
  entry(entry: object, before: number): string;
  close(entries: number): string;
  readonly end: string;
}

const jsonForm: Form = {
  head: `{\n  "version": ${formVersion}`,
  open: (section) => `,\n  "${section}": [`,
  entry: (entry, before) => `${before > 0 ? "," : ""}\n${JSON.stringify(entry, null, 2).replace(/^/gm, "    ")}`,
  close: (entries) => (entries > 0 ? "\n  ]" : "]"),
  end: "\n}\n",
};

async function yamlForm(): Promise<Form> {
  const { Document, isScalar, visit } = await import("yaml");
  const text = (entry: object) => {
    const document = new Document([entry], { aliasDuplicateObjects: false });
    // Lists of words stand on one line.
    visit(document, {
      Scalar(_, scalar) {
        // As a block of lines these would take in what stands below them, or lose what nobody sees.
        if (typeof scalar.value === "string" && /^\s|[^\S\n]\n|\n\s+$/.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
      },
      Seq(_, list) {
        list.flow = list.items.every((item) => isScalar(item));
      },
    });
    return document.toString({ lineWidth: 0, flowCollectionPadding: false });
  };
  return {
    head: `# An organisation: wcs diff FILE compares, wcs apply FILE carries out; wcs help organisation\nversion: ${formVersion}\n`,
    open: (section) => `\n${section}:`,
    entry: (entry, before) => `${before > 0 ? "" : "\n"}${text(entry)}`,
    close: (entries) => (entries > 0 ? "" : " []\n"),
    end: "",
  };
}
