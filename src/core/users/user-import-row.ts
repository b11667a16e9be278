import type { z } from "zod";
import type { userRow } from "../../contract/user-schemas.ts";
import type { userColumns } from "./user-columns.ts";

export type UserImportRow = z.infer<ReturnType<typeof userRow>>;

/** The requested state of a user, with references resolved. Undefined properties stay as they are. */
export interface Wanted {
  readonly columns: Partial<ReturnType<typeof userColumns>> & { first_name: string; last_name: string; email: string };
  readonly unit: { id: number; path: string };
  readonly types: readonly number[] | undefined;
  readonly department: number | null | undefined;
}
