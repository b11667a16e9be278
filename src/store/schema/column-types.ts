export type FileOwner = "event" | "post" | "message" | "user" | "unit" | "group";

/** The mail that a link for setting a password is in. A newer link of the same kind replaces it. */
export type PasswordTokenKind = "welcome" | "password_reset";

/** A change of how a person signs in. */
export type AccountChange =
  | "email"
  | "password"
  | "provider"
  | "two_factor_on"
  | "two_factor_off"
  | "recovery_codes"
  | "recovery_code_used";

export interface AccountNotice {
  readonly change: AccountChange;
  /** True when the limit of notices leaves out the next ones of this kind. */
  readonly isLast: boolean;
}

/** Reasons: disabled by hand, a receiver answered 410, or only failures for days. */
export type DisabledReason = "manual" | "gone" | "failing";
