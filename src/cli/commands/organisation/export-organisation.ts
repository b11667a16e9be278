import { isServiceAccount } from "../../../contract/user-schemas.ts";
import { users } from "../../../contract/users.ts";
import { webhooks } from "../../../contract/webhooks.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { suggestName } from "../../errors/nearest-name.ts";
import { type Export, exportItems } from "../../file-io/export-file.ts";
import { pickFormat } from "../../file-io/file-format.ts";
import { portionsOf } from "../../file-io/portions.ts";
import type { Context } from "../../kit/command-spec.ts";
import { walkItems } from "../../kit/walk-list.ts";
import { exportableUnits } from "../transfer/export-units.ts";
import { hiddenAddress } from "../transfer/export-users.ts";
import { isSection, shortestFirst } from "./file/organisation-entries.ts";
import { keyOf, labelEntry, type OrganisationSection, sections } from "./file/organisation-schema.ts";
import { openScratch } from "./file/scratch-database.ts";
import { formOf } from "./file/write-organisation.ts";
import {
  type Labels,
  unitEntry,
  userEntry,
  userTypeEntry,
  userTypeLabel,
  webhookEntry,
} from "./plan/current-entries.ts";
import { loadSnapshot, type OrganisationSnapshot, untilAborted } from "./plan/plan-context.ts";

/** `wcs export`: writes an organisation as a file for apply, in an order that does not depend on IDs. */
export async function exportOrganisation(context: Context): Promise<void> {
  const { globals, flags, args } = context;
  const path = (args.file as string | undefined) ?? "-";
  const wanted = sectionsOf(flags.only as string | undefined);
  const format = pickFormat(["yaml", "json"], /\.json$/i, path, flags.format, globals);
  // The file may be one to import, which this would replace.
  const isFormatGiven = Boolean(flags.format ?? globals.output ?? globals.json);
  if (!isFormatGiven && /\.(csv|ndjson|jsonl)$/i.test(path)) {
    throw new UsageError(`${path} would be ${format.toUpperCase()}`, {
      hint: "wcs users export and wcs units export write CSV and NDJSON",
    });
  }
  const form = await formOf(format);
  /** Ends and beginnings of sections, which precede the next entry. */
  let between = "";
  const exported = {
    name: "entries",
    path,
    head: form.head,
    text: (entries: readonly string[]) => entries.join(""),
    get tail() {
      return between + form.end;
    },
  };
  await exportItems<string>(exported, context, async (to) => {
    const caller = untilAborted(to.caller, to.signal);
    const snapshot = await loadSnapshot(caller);
    // A file without units is for an instance that has them.
    const units = wanted.includes("units") ? exportableUnits(snapshot.units, to.skip) : snapshot.units;
    const references = new Map(units.map(({ id, reference }) => [id, reference]));
    const typeLabels = new Map(snapshot.userTypes.map((type) => [type.id, userTypeLabel(type)]));
    const labels: Labels = { units: (id) => references.get(id) ?? null, userTypes: (id) => typeLabels.get(id) ?? "" };
    for (const section of wanted) {
      const entries =
        section === "units"
          ? units.map((unit) => unitEntry(unit, labels))
          : await sorted(section, entriesOf[section]({ ...to, caller }, snapshot, labels));
      between += form.open(section);
      let count = 0;
      const text = (entry: object) => {
        const all = between + form.entry(entry, count++);
        between = "";
        return all;
      };
      for (const some of portionsOf(entries, 500)) await to.write(some.map(text));
      between += form.close(count);
    }
  });
}

function sectionsOf(only: string | undefined): readonly OrganisationSection[] {
  if (only === undefined) return sections;
  const named = only.split(",").map((name) => name.trim());
  for (const name of named) {
    if (isSection(name)) continue;
    const meant = suggestName(name, shortestFirst(sections));
    throw new UsageError(`--only takes ${sections.join(", ")}, not '${name}'`, {
      ...(meant && { hint: `did you mean ${meant}?` }),
    });
  }
  return sections.filter((section) => named.includes(section));
}

const entriesOf = { usertypes: userTypeEntries, users: userEntries, webhooks: webhookEntries };

async function* userTypeEntries(to: Export<string>, { userTypes }: OrganisationSnapshot): AsyncGenerator<object> {
  const issueOf = issuesOfLabels(userTypes);
  for (const type of userTypes) {
    const issue = issueOf(type);
    if (issue) to.skip(`user type ${type.id} (${type.name}) ${issue}`);
    else yield userTypeEntry(type);
  }
}

/** Returns a function that says why a user type has no label in a file; undefined when it has one. */
function issuesOfLabels(types: OrganisationSnapshot["userTypes"]) {
  const references = new Set(types.map(({ reference }) => reference));
  return ({ id, name, reference }: OrganisationSnapshot["userTypes"][number]): string | undefined => {
    if (reference !== null || !references.has(name)) return undefined;
    return `has a name that is the reference of another user type; run wcs usertypes update ${id} --reference REF`;
  };
}

async function* userEntries(to: Export<string>, { userTypes, unitById }: OrganisationSnapshot, labels: Labels) {
  const bad = new Set(userTypes.filter(issuesOfLabels(userTypes)).map(({ id }) => id));
  for await (const user of walkItems(to.caller, users.list, { inactive: true })) {
    if (isServiceAccount(user)) continue;
    if (user.email === null) throw hiddenAddress(user, "Use --only usertypes,units to export no users.");
    const place = user.memberUnits.find(({ unit }) => labels.units(unit.id) === null)?.unit;
    const type = user.memberUnits.flatMap((membership) => membership.userTypes).find(({ id }) => bad.has(id));
    if (user.memberUnits.length === 0) to.skip(`user ${user.id} (${user.name}) has no membership`);
    else if (place) {
      const what = unitById.get(place.id)?.reference
        ? "was not exported"
        : `has no reference; run wcs units update ${place.id} --reference REF`;
      to.skip(`user ${user.id} (${user.name}) is in unit ${place.id}, which ${what}`);
    } else if (type) to.skip(`user ${user.id} (${user.name}) has user type ${type.id}, which was not exported`);
    else yield userEntry(user, labels);
  }
}

async function* webhookEntries(to: Export<string>): AsyncGenerator<object> {
  const first = new Map<string, number>();
  for await (const webhook of walkItems(to.caller, webhooks.list, {})) {
    const { id, name } = webhook;
    const other = first.get(name);
    if (other === undefined) {
      first.set(name, id);
      yield webhookEntry(webhook);
    } else {
      to.skip(`webhook ${id} has the name of webhook ${other} (${name}); run wcs webhooks update ${id} --name NAME`);
    }
  }
}

/** Returns entries sorted by label, so that the same data gives the same file. Sorts them on disk. */
async function sorted(section: OrganisationSection, entries: AsyncIterable<object>): Promise<Iterable<object>> {
  const scratch = openScratch();
  scratch.exec("create table entries (key blob not null, label blob not null, entry text not null)");
  const insert = scratch.prepare("insert into entries values (?, ?, ?)");
  // The bytes of UTF-16 have the order of the code units, unlike those of UTF-8.
  const sortable = (text: string) => Buffer.from(text, "utf16le").swap16();
  for await (const entry of entries) {
    const label = labelEntry(section, entry);
    insert.run(sortable(keyOf(label)), sortable(label), JSON.stringify(entry));
  }
  function* rows(): Generator<object> {
    const found = scratch.prepare("select entry from entries order by key, label").iterate();
    for (const { entry } of found) yield JSON.parse(String(entry));
    scratch.close();
  }
  return rows();
}
