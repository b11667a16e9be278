import { isServiceAccount } from "../../../../contract/user-schemas.ts";
import type { CurrentUser } from "./current-entries.ts";
import type { Planning } from "./plan-context.ts";

type Account = Partial<Pick<CurrentUser, "email" | "admin" | "active">>;

/** Adds an issue for each address that would belong to two users, and when no active administrator would be left. */
export function createAccountChecks({ organisation, issues }: Planning) {
  const isAdministrator = ({ admin, active }: Account) => admin === true && active !== false;
  let isAnyLeft = false;
  let firstLost: number | undefined;
  return {
    /** Checks an existing user as it will be; `at` is the index of its entry in the file. */
    watch(user: CurrentUser, after: Account, at?: number): void {
      const place = organisation.users?.find({ reference: null, email: after.email || null });
      if (place !== undefined && place.at !== at)
        issues.add(["users", place.at, "email"], `is taken by user ${user.id} (${user.name})`);
      // A service account cannot sign in as an administrator.
      if (isServiceAccount(user)) return;
      if (isAdministrator(after)) isAnyLeft = true;
      else if (isAdministrator(user)) firstLost ??= at;
    },
    watchNew(entry: Account): void {
      isAnyLeft ||= isAdministrator(entry);
    },
    refuse(): void {
      if (firstLost === undefined || isAnyLeft) return;
      issues.add(["users", firstLost], "is the last active administrator; make another one first");
    },
  };
}
