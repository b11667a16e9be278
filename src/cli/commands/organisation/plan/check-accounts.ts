import type { CurrentUser } from "./current-entries.ts";
import type { Planning } from "./plan-context.ts";

interface Account extends Partial<Pick<CurrentUser, "email" | "admin" | "active">> {
  readonly provider?: string | readonly string[] | undefined;
}

/** Adds an issue for each address that would belong to two users, and when no active administrator who can sign in would be left. */
export function createAccountChecks({ organisation, issues }: Planning) {
  // Service accounts and users of another provider cannot sign in.
  const isAdministrator = ({ admin, active, provider = "local" }: Account) =>
    admin === true && active !== false && [provider].flat().includes("local");
  let isAnyLeft = false;
  let firstLost: number | undefined;
  return {
    /** Checks an existing user as it will be; `at` is the index of its entry in the file. */
    watch(user: CurrentUser, after: Account, at?: number): void {
      const place = organisation.users?.find({ reference: null, email: after.email || null });
      if (place !== undefined && place.at !== at)
        issues.add(["users", place.at, "email"], `is taken by user ${user.id} (${user.name})`);
      if (isAdministrator(after)) isAnyLeft = true;
      else if (isAdministrator(user)) firstLost ??= at;
    },
    watchNew(entry: Account): void {
      isAnyLeft ||= isAdministrator(entry);
    },
    refuse(): void {
      if (firstLost === undefined || isAnyLeft) return;
      issues.add(["users", firstLost], "is the last active administrator who can sign in; make another one first");
    },
  };
}
