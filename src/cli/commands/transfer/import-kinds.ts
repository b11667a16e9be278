import type { AnyOperation, Caller } from "../../../contract/operation.ts";
import { unitRow } from "../../../contract/unit-schemas.ts";
import { units } from "../../../contract/units.ts";
import { userRow } from "../../../contract/user-schemas.ts";
import { users } from "../../../contract/users.ts";
import { type Table, tableOf } from "../../file-io/file-rows.ts";
import type { ImportKey } from "./mapping-file.ts";
import { type Rehearsal, rehearseUnits, rehearseUsers } from "./rehearse-import.ts";

export interface ImportKind {
  readonly table: Table;
  readonly op: AnyOperation;
  readonly max: number;
  /** Rows refer to other rows, which must be sent first. */
  readonly parentsFirst: boolean;
  readonly rehearse: (caller: Caller, signal: AbortSignal) => Rehearsal;
}

/** Returns the import of users. With a key, every file must have its column. */
export const userKind = (key?: ImportKey): ImportKind => ({
  table: withKey(tableOf("users", userRow()), key),
  op: users.import,
  max: 1000,
  parentsFirst: false,
  rehearse: () => rehearseUsers(key),
});

const withKey = (table: Table, key: ImportKey | undefined): Table =>
  key === undefined || table.required.includes(key) ? table : { ...table, required: [key, ...table.required] };

export const unitKind = (): ImportKind => ({
  table: tableOf("units", unitRow()),
  op: units.import,
  // In a dry run each row may name two units to assume, and the service accepts 1000 of them.
  max: 500,
  parentsFirst: true,
  rehearse: rehearseUnits,
});
