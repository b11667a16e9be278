import type { Caller } from "../../../contract/operation.ts";
import { tokens } from "../../../contract/tokens.ts";
import { type FactChecks, lengthOf, ok, warning } from "./finding.ts";

const warningDays = 14;

/** Reads the API tokens that expire soon or have expired: the user's own, or all of them for administrators. */
export async function readTokenFacts(caller: Caller) {
  const now = Math.floor(Date.now() / 1000);
  const { data } = await caller.call(tokens.list, { expires_before: now + warningDays * 86_400, limit: 500 });
  return { ending: data, now };
}

export const tokenChecks: FactChecks<Awaited<ReturnType<typeof readTokenFacts>>> = {
  "API tokens": ({ ending, now }) => {
    if (ending.length === 0) return ok(`No API token expires within ${warningDays} days.`);
    const list = ending.map(({ id, name, expires_at }) => {
      const left = (expires_at ?? now) - now;
      return `${name} (${id}) ${left > 0 ? `expires in ${lengthOf(left)}` : "has expired"}`;
    });
    return warning(
      `${list.join(", ")}. Create another token with wcs tokens create, then revoke the old one with wcs tokens revoke ${ending[0]?.id}.`,
    );
  },
};
