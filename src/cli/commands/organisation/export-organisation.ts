import { ServiceError } from "../../../contract/errors.ts";
import { isServiceAccount } from "../../../contract/user-schemas.ts";
import { users } from "../../../contract/users.ts";
import { webhooks } from "../../../contract/webhooks.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { suggestName } from "../../errors/nearest-name.ts";
import { type Export, exportItems } from "../../file-io/export-file.ts";
import { portionsOf } from "../../file-io/portions.ts";
import type { Context } from "../../kit/command-spec.ts";
import { walkItems } from "../../kit/walk-list.ts";
import { exportableUnits } from "../transfer/exportable-units.ts";
import { shortestFirst } from "./file/organisation-entries.ts";
import { keyOf, labelEntry, type OrganisationSection, sections } from "./file/organisation-schema.ts";
import { openScratch } from "./file/scratch-database.ts";
import { createText, organisationFormatOf } from "./file/write-organisation.ts";
import {
  type CurrentUser,
  compare,
  type Names,
  unitEntry,
  userEntry,
  userTypeEntry,
  userTypeLabel,
  webhookEntry,
} from "./plan/current-entries.ts";
import { loadHeld, type OrganisationSnapshot } from "./plan/snapshot.ts";

/** `wcs export`: writes an organisation as a file for apply, in an order that does not depend on IDs. */
export async function exportOrganisation(context: Context): Promise<void> {
  const { globals, flags, args } = context;
  const path = (args.file as string | undefined) ?? "-";
  const wanted = sectionsOf(flags.only as string | undefined);
  const text = await createText(organisationFormatOf(path, flags.format, globals), wanted);
  const exported = {
    name: "entries",
    path,
    head: text.head,
    text: (entries: readonly string[]) => entries.join(""),
    get tail() {
      return text.tail();
    },
  };
  await exportItems<string>(exported, context, async (to) => {
    const held = await loadHeld(to.caller, to.signal);
    // A file without units is for an instance that has them.
    const units = wanted.includes("units") ? exportableUnits(held.units, to.skip) : held.units;
    const references = new Map(units.map(({ id, reference }) => [id, reference]));
    const names: Names = { units: (id) => references.get(id) ?? null, userTypes: (id) => labels.get(id) ?? "" };
    const labels = new Map(held.userTypes.map((type) => [type.id, userTypeLabel(type)]));
    for (const section of wanted) {
      const write = async (entries: Iterable<object>) => {
        for (const some of portionsOf(entries, 500)) await to.write(some.map((entry) => text.entry(section, entry)));
      };
      await writers[section](to, { ...held, units }, names, write);
    }
  });
}

function sectionsOf(only: string | undefined): readonly OrganisationSection[] {
  if (only === undefined) return sections;
  const named = only.split(",").map((name) => name.trim());
  for (const name of named) {
    if ((sections as readonly string[]).includes(name)) continue;
    const meant = suggestName(name, shortestFirst(sections));
    throw new UsageError(`--only takes ${sections.join(", ")}, not '${name}'`, {
      ...(meant && { hint: `did you mean ${meant}?` }),
    });
  }
  return sections.filter((section) => named.includes(section));
}

type Write = (entries: Iterable<object>) => Promise<void>;
type SectionWriter = (to: Export<string>, held: OrganisationSnapshot, names: Names, write: Write) => Promise<void>;

const writers: Record<OrganisationSection, SectionWriter> = {
  usertypes: writeUserTypes,
  units: writeUnits,
  users: writeUsers,
  webhooks: writeWebhooks,
};

async function writeUserTypes(
  to: Export<string>,
  { userTypes }: OrganisationSnapshot,
  _: Names,
  write: Write,
): Promise<void> {
  const issue = issuesOfLabels(userTypes);
  const good = userTypes.filter((type) => {
    const what = issue(type);
    if (what) to.skip(`user type ${type.id} (${type.name}) ${what}`);
    return !what;
  });
  const entries = good.map(userTypeEntry).sort(byLabel("usertypes"));
  await write(entries);
}

/** Returns the reasons why user types have no label in a file, by ID. */
function issuesOfLabels(types: OrganisationSnapshot["userTypes"]) {
  const references = new Set(types.map(({ reference }) => reference));
  return (type: OrganisationSnapshot["userTypes"][number]): string | undefined => {
    const { id, name, reference } = type;
    if (name.trim() !== name) return `begins or ends with a space; run wcs usertypes update ${id} --name NAME`;
    if (reference !== null || !references.has(name)) return undefined;
    return `has a name that is the reference of another user type; run wcs usertypes update ${id} --reference REF`;
  };
}

async function writeUnits(
  _: Export<string>,
  { units }: OrganisationSnapshot,
  names: Names,
  write: Write,
): Promise<void> {
  await write(units.map((unit) => unitEntry(unit, names)));
}

async function writeUsers(
  to: Export<string>,
  { userTypes, unitById }: OrganisationSnapshot,
  names: Names,
  write: Write,
): Promise<void> {
  const unnamed = issuesOfLabels(userTypes);
  const bad = new Set(userTypes.filter(unnamed).map(({ id }) => id));
  const found = createSorter("users");
  for await (const user of walkItems(to.caller, users.list, { inactive: true }, to.signal)) {
    if (isServiceAccount(user)) continue;
    if (user.email === null) throw hidden(user);
    const place = user.memberUnits.find(({ unit }) => names.units(unit.id) === null)?.unit;
    const type = user.memberUnits.flatMap((membership) => membership.userTypes).find(({ id }) => bad.has(id));
    if (user.memberUnits.length === 0) to.skip(`user ${user.id} (${user.name}) has no membership`);
    else if (place) {
      const what = unitById.get(place.id)?.reference
        ? "was not exported"
        : `has no reference; run wcs units update ${place.id} --reference REF`;
      to.skip(`user ${user.id} (${user.name}) is in unit ${place.id}, which ${what}`);
    } else if (type) to.skip(`user ${user.id} (${user.name}) has user type ${type.id}, which was not exported`);
    else found.add(userEntry(user, names));
  }
  await write(found.sorted());
  found.close();
}

/** Sorts entries by label like `byLabel`, on disk. */
function createSorter(section: OrganisationSection) {
  const scratch = openScratch();
  scratch.exec("create table entries (key blob not null, label blob not null, entry text not null)");
  const insert = scratch.prepare("insert into entries values (?, ?, ?)");
  // The bytes of UTF-16 have the order of the code units, unlike those of UTF-8.
  const sortable = (text: string) => Buffer.from(text, "utf16le").swap16();
  return {
    add(entry: object): void {
      const label = labelEntry(section, entry);
      insert.run(sortable(keyOf(label)), sortable(label), JSON.stringify(entry));
    },
    *sorted(): Generator<object> {
      for (const { entry } of scratch.prepare("select entry from entries order by key, label").iterate()) {
        yield JSON.parse(String(entry)) as object;
      }
    },
    close: () => scratch.close(),
  };
}

const hidden = ({ id }: CurrentUser) =>
  new ServiceError("forbidden", `You don't have access to the e-mail address of user ${id}.`, {
    hint: "Exporting users needs the ability user over all of them. Use --only usertypes,units to export no users.",
  });

async function writeWebhooks(to: Export<string>, _: OrganisationSnapshot, _names: Names, write: Write): Promise<void> {
  const found = await Array.fromAsync(walkItems(to.caller, webhooks.list, {}, to.signal));
  const first = new Map<string, number>();
  const good = found.filter(({ id, name }) => {
    const other = first.get(name);
    if (other === undefined) first.set(name, id);
    else to.skip(`webhook ${id} has the name of webhook ${other} (${name}); run wcs webhooks update ${id} --name NAME`);
    return other === undefined;
  });
  await write(good.map(webhookEntry).sort(byLabel("webhooks")));
}

/** Sorts by label, so that the same data gives the same file. */
const byLabel = (section: OrganisationSection) => (a: object, b: object) =>
  compare(keyOf(labelEntry(section, a)), keyOf(labelEntry(section, b))) ||
  compare(labelEntry(section, a), labelEntry(section, b));
