import { mostMatches, type NameMatch } from "../../contract/names.ts";
import { afterPrefix } from "../../store/dialect.ts";
import { presentUsers } from "../directory/present-users.ts";
import { emailKey, tokens, words } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import { forcedReference } from "./find-named.ts";

interface Found {
  readonly text: string;
  readonly id: number;
  readonly match: NameMatch["match"];
}

/** Finds users that are not deleted; those that are deactivated, too, but not by a similar name. */
export async function findUserNames(ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> {
  const found: Found[] = [];
  for (const text of texts) found.push(...(await findOne(ctx, text)));
  const shown = new Map(
    (await presentUsers(ctx, [...new Set(found.map(({ id }) => id))])).map((user) => [user.id, user]),
  );
  return found.flatMap(({ text, id, match }) => {
    const user = shown.get(id);
    // Returning a user for an address that the actor may not see would reveal whose it is.
    if (user === undefined || (match === "email" && user.email === null)) return [];
    return [{ text, kind: "users" as const, id, name: user.name, detail: user.unit?.name ?? null, match }];
  });
}

async function findOne(ctx: Ctx, text: string): Promise<Found[]> {
  if (text === "me") return [{ text, id: ctx.actor.id, match: "name" }];
  const as = (match: NameMatch["match"], rows: readonly { readonly id: number }[]) =>
    rows.map(({ id }) => ({ text, id, match }));
  const forced = forcedReference(text);
  const withReference = await byKey(ctx, "reference", forced ?? text);
  if (forced !== undefined || withReference.length > 0) return as("reference", withReference);
  if (text.includes("@")) return as("email", await byKey(ctx, "email_key", emailKey(text)));
  const named = await byName(ctx, text);
  return named.length > 0 ? as("name", named) : as("similar", await bySimilarName(ctx, text));
}

const byKey = (ctx: Ctx, column: "reference" | "email_key", value: string) =>
  ctx.db.selectFrom("users").select("id").where(column, "=", value).where("deleted_at", "is", null).execute();

/** Finds users by their full name, with all of its words in the same order. */
async function byName(ctx: Ctx, text: string): Promise<{ id: number }[]> {
  const [longest, ...others] = words(text).sort((a, b) => b.length - a.length);
  if (longest === undefined) return [];
  let query = ctx.db
    .selectFrom("user_words as w")
    .innerJoin("users as u", "u.id", "w.user_id")
    .select(["u.id", "u.first_name", "u.last_name"])
    .where("w.word", "=", longest)
    .where("w.of_name", "=", 1)
    .where("u.deleted_at", "is", null);
  for (const word of others) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom("user_words as x")
          .select("x.word")
          .whereRef("x.user_id", "=", "w.user_id")
          .where("x.word", "=", word)
          .where("x.of_name", "=", 1),
      ),
    );
  }
  const name = tokens(text).join(" ");
  // Others with these words have more of them, or in another order. Such names are few.
  const rows = await query.orderBy("w.user_id").limit(200).execute();
  return rows.filter((row) => tokens(`${row.first_name} ${row.last_name}`).join(" ") === name).slice(0, mostMatches);
}

async function bySimilarName(ctx: Ctx, text: string): Promise<{ id: number }[]> {
  const [longest] = words(text).sort((a, b) => b.length - a.length);
  if (longest === undefined) return text === "" ? firstUsers(ctx) : [];
  return ctx.db
    .selectFrom("user_words as w")
    .innerJoin("users as u", "u.id", "w.user_id")
    .select("u.id")
    .where("w.word", ">=", longest)
    .where("w.word", "<", afterPrefix(longest))
    .where("w.of_name", "=", 1)
    .where("u.active", "=", 1)
    .where("u.deleted_at", "is", null)
    .orderBy("w.word")
    .orderBy("w.user_id")
    .limit(mostMatches)
    .execute();
}

const firstUsers = (ctx: Ctx) =>
  ctx.db.selectFrom("users").select("id").where("active", "=", 1).orderBy("id").limit(mostMatches).execute();
