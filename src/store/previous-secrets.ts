/** A secret of a webhook before a rotation. Until the time, in Unix seconds, callbacks are signed with it, too. */
export interface PreviousSecret {
  readonly secret: string;
  readonly until: number;
}

/** Returns the previous secrets that still sign, newest first, from the JSON array of the column. */
export const validSecrets = (json: string | null, now: number): PreviousSecret[] =>
  (JSON.parse(json ?? "[]") as PreviousSecret[]).filter(({ until }) => until > now);
