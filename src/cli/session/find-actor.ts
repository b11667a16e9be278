import { ServiceError } from "../../contract/errors.ts";
import { maxTextLength, names } from "../../contract/names.ts";
import type { Caller } from "../../contract/operation.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { describeAmbiguity } from "../output/ambiguous-name.ts";
import type { Globals } from "../terminal/global-options.ts";
import { lineOf } from "../terminal/shell-words.ts";
import { shownAddress, type Target } from "./target.ts";

/** Returns the ID for a name or reference in --as, as an administrator finds it; undefined for one that names nobody. */
export async function findNamedUser(administrator: Caller, text: string): Promise<string | undefined> {
  if (text.length > maxTextLength) return undefined;
  const { data } = await administrator.call(names.find, { texts: [text], kinds: ["users"] });
  const same = data.filter(({ match }) => match !== "similar");
  if (same.length < 2) return same[0] && String(same[0].id);
  const { sentence, hint } = describeAmbiguity("users", text, same);
  throw new UsageError(`--as: ${sentence}`, { hint });
}

interface ActorChoice {
  readonly target: Target;
  readonly globals: Globals;
}

/** Adds to an error about the user to act as how to choose another one. */
export function actorError(error: unknown, { target, globals }: ActorChoice): unknown {
  if (!(error instanceof ServiceError)) return error;
  const other = "Pass --as with the name, reference, e-mail address or ID of an active user";
  const { profile } = target;
  if (globals.as !== undefined || profile?.user === undefined)
    return new ServiceError(error.code, error.message, { hint: `${other}.`, cause: error });
  const { name } = profile;
  const place = shownAddress(target) === target.address ? ["--db", target.address] : ["--db-stdin"];
  const again = `${lineOf(["profile", "remove", name])} && ${lineOf(["profile", "add", name, ...place])}`;
  return new ServiceError(error.code, `${error.message} Profile ${name} acts as this user.`, {
    hint: `${other}, or let the profile act as the first administrator: ${again}`,
    cause: error,
  });
}
