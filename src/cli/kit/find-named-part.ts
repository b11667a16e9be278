import { ServiceError } from "../../contract/errors.ts";
import { UsageError } from "../errors/cli-errors.ts";

/** A thing that is known by name within another one. */
interface Part {
  readonly id: number;
  readonly name: string;
}

interface PartSearch {
  /** The argument or flag that has the name. */
  readonly label: string;
  readonly noun: string;
  /** The thing that has the parts, as in `unit Sales`. */
  readonly owner: string;
  readonly parts: readonly Part[];
}

/** Returns the ID of the part with a name. Throws an error that lists the parts when there is none, or several. */
export function findNamedPart(text: string, { label, noun, owner, parts }: PartSearch): number {
  const { compare } = new Intl.Collator("en", { usage: "search", sensitivity: "base" });
  const exact = parts.filter((each) => each.name === text);
  const found = exact.length > 0 ? exact : parts.filter((each) => compare(each.name, text) === 0);
  const [first] = found;
  const list = (some: readonly Part[]) => some.map((each) => `${each.name} (${each.id})`).join(", ");
  if (first === undefined) {
    const others = parts.length === 0 ? "it has none" : `it has ${list(parts)}`;
    throw new ServiceError("not_found", `${label}: no ${noun} of ${owner} is called ${text}; ${others}.`);
  }
  if (found.length === 1) return first.id;
  throw new UsageError(`${label}: ${found.length} ${noun}s of ${owner} are called ${text}: ${list(found)}`, {
    hint: "use an ID",
  });
}
