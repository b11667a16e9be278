import { pluralize } from "../../../contract/count-text.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { OutputOf } from "../../../contract/operation.ts";
import { units } from "../../../contract/units.ts";
import { isServiceAccount, userRow } from "../../../contract/user-schemas.ts";
import { users } from "../../../contract/users.ts";
import { writeExportFile } from "../../file-io/export-file.ts";
import { type FileRow, tableOf } from "../../file-io/file-rows.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { walk, walkItems } from "../../kit/walk-list.ts";

type User = OutputOf<typeof users.get>;

export async function writeUsers(context: Context): Promise<void> {
  const { flags, terminal } = context;
  let further = 0;
  await writeExportFile(tableOf("users", userRow()), context, async (to) => {
    const unit =
      flags.unit === undefined
        ? undefined
        : await findOneByName("units", "--unit", flags.unit, { caller: to.caller, terminal });
    const filter = {
      ...(flags.inactive === true && { inactive: true }),
      ...(unit !== undefined && { unit, below: true }),
    };
    const referenceOf = new Map<number, string | null>();
    for await (const { id, reference } of walkItems(to.caller, units.tree, {}, to.signal))
      referenceOf.set(id, reference);
    for await (const { items } of walk(to.caller, users.list, filter)) {
      const rows: FileRow[] = [];
      for (const user of items) {
        if (isServiceAccount(user)) continue;
        const row = rowOf(user, referenceOf);
        if (typeof row === "string") to.skip(`user ${user.id} (${user.name}) ${row}`);
        else rows.push(row);
        if (user.memberUnits.length > 1) further += 1;
      }
      await to.write(rows);
    }
  });
  if (further > 0)
    terminal.note(
      `${pluralize(further, "user")} with several memberships: only the first one was exported. wcs export has them all.`,
    );
}

/** Returns the error about a user whose address the caller may not see. `remedy` is another way to export. */
export const hiddenAddress = ({ id, name }: Pick<User, "id" | "name">, remedy: string): ServiceError =>
  new ServiceError("forbidden", `You don't have access to the e-mail address of ${name} (${id}).`, {
    hint: `Exporting users needs the ability user over all of them. ${remedy}`,
  });

function rowOf(user: User, referenceOf: ReadonlyMap<number, string | null>): FileRow | string {
  if (user.email === null) throw hiddenAddress(user, "Use --unit UNIT to export the users of one branch.");
  const [membership] = user.memberUnits;
  if (membership === undefined) return "has no membership";
  const { unit, department, userTypes } = membership;
  const reference = referenceOf.get(unit.id) ?? null;
  if (reference === null)
    return `is in unit ${unit.id}, which has no reference; run wcs units update ${unit.id} --reference REF`;
  const names = userTypes.map((type) => type.name).sort();
  const cells = {
    ...user,
    unit: reference,
    user_types: names.join(";"),
    department: department?.name ?? null,
    provider: user.provider[0],
  };
  return Object.fromEntries(
    userRow()
      .keyof()
      .options.map((column) => [column, cells[column]]),
  );
}
