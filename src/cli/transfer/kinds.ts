import type { AnyOperation } from "../../contract/operation.ts";
import { unitRow, units } from "../../contract/units.ts";
import { userRow } from "../../contract/user-forms.ts";
import { users } from "../../contract/users.ts";
import { type Rehearsal, rehearseUnits, rehearseUsers } from "./rehearsal.ts";
import { type Table, tableOf } from "./table.ts";

/** How the rows of a table are imported. */
export interface Kind {
  readonly table: Table;
  readonly op: AnyOperation;
  /** Rows in one call. */
  readonly most: number;
  /** Rows name others, which have to be there before them. */
  readonly parentsFirst: boolean;
  readonly rehearse: () => Rehearsal;
}

export const userKind = (): Kind => ({
  table: tableOf("users", userRow()),
  op: users.import,
  most: 1000,
  parentsFirst: false,
  rehearse: rehearseUsers,
});

export const unitKind = (): Kind => ({
  table: tableOf("units", unitRow()),
  op: units.import,
  // Each row may name two units that the service has to take on trust, and it takes 1000.
  most: 500,
  parentsFirst: true,
  rehearse: rehearseUnits,
});
