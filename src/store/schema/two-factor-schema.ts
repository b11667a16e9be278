import type { Generated } from "kysely";

/** The second factor of a user. It is being set up while `users.two_factor_at` is null. */
interface TwoFactorsTable {
  user_id: number;
  /** 160 random bits in base32, which the user's authenticator app has, too. */
  secret: string;
  /** Number of the latest 30 seconds whose code was used; earlier codes are refused. */
  last_step: Generated<number>;
  begun_at: number;
}

/** Unused recovery codes. */
interface RecoveryCodesTable {
  user_id: number;
  code_hash: string;
}

/** Tables of second factors. */
export interface TwoFactorSchema {
  two_factors: TwoFactorsTable;
  recovery_codes: RecoveryCodesTable;
}
