import { type SqlBool, sql } from "kysely";
import { maxMatches, type NameMatch } from "../../contract/names.ts";
import { afterPrefix } from "../../store/dialect.ts";
import { presentUsers } from "../directory/present-users.ts";
import { emailKey, foldedWords, words } from "../directory/text-keys.ts";
import { wordKinds } from "../directory/user-words.ts";
import type { Ctx } from "../pipeline/context.ts";
import {
  byValue,
  findOnce,
  firstMatches,
  forcedReference,
  inEachRange,
  type KeyRange,
  rangesOf,
  referenceIn,
} from "./first-matches.ts";

interface UserId {
  readonly id: number;
}

/** Maximum number of words examined for each text, since words of deactivated users do not count as matches. */
const maxWords = 500;
/** Maximum number of words of a text that are searched for. */
const maxWordsOfText = 3;
/** Number of words that are looked at first, because they nearly always suffice and take a fraction of the time. */
const fewWords = 40;

/** Finds users that are not deleted. Deactivated ones are not found by similar names. */
export async function findUserNames(ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> {
  const me = { text: "me", id: ctx.actor.id, match: "name" } as const;
  const others = texts.filter((text) => text !== me.text);
  const matches = await firstMatches<UserId>(others, [
    { match: "reference", find: (open) => byValue(open, referenceOnlyIn, (some) => byKey(ctx, "reference", some)) },
    { match: "email", find: (open) => byValue(open, emailIn, (some) => byKey(ctx, "email_key", some)) },
    { match: "name", find: (open) => byName(ctx, rangesOf(open, nameIn)) },
    { match: "similar", find: (open) => byName(ctx, rangesOf(open, wordsIn, afterPrefix), { onlyActive: true }) },
    { match: "similar", find: (open) => findOnce(open.flatMap(rangesOfWords), (parts) => bySimilarName(ctx, parts)) },
    { match: "similar", find: async (open) => (open.includes("") ? firstUsers(ctx) : []) },
  ]);
  const found = others.length < texts.length ? [...matches, me] : matches;
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

const isName = (text: string) => forcedReference(text) === undefined && !text.includes("@");
const isAddress = (text: string) => forcedReference(text) === undefined && text.includes("@");
const emailIn = (text: string) => (isAddress(text) ? emailKey(text) : undefined);
/** An address as the reference of another user would take the place of a user whose address the actor may not see. */
const referenceOnlyIn = (text: string) => (isAddress(text) ? undefined : referenceIn(text));
const nameIn = (text: string) => (isName(text) ? foldedWords(text).join(" ") || undefined : undefined);
/** Returns the name key of several words, which a longer name can begin with. */
const wordsIn = (text: string) => (nameIn(text)?.includes(" ") ? nameIn(text) : undefined);
/** Returns a range for each word of a name, the longest first. Short words are left out: too many names begin with them. */
const rangesOfWords = (text: string) =>
  (isName(text) ? words(text) : [])
    .sort((a, b) => b.length - a.length)
    .filter((word, at) => at === 0 || (at < maxWordsOfText && word.length > 2))
    .flatMap((word) => rangesOf([text], () => word, afterPrefix));

const byKey = ({ db }: Ctx, column: "reference" | "email_key", values: readonly string[]) =>
  db
    .selectFrom("users as u")
    .select(["u.id", `u.${column} as value`])
    .where(`u.${column}`, "in", values)
    .where("u.deleted_at", "is", null)
    .execute();

/** Finds users by their full name, or with a range of its beginning: all of its words in the same order. */
function byName(ctx: Ctx, ranges: readonly KeyRange[], { onlyActive = false } = {}) {
  const named = ctx.db
    .selectFrom("users as u")
    .select("u.id")
    // A range in the order of the index makes PostgreSQL use it regardless of its statistics.
    .where(sql<SqlBool>`u.name_key between asked.low and asked.high`)
    .where("u.deleted_at", "is", null)
    .$if(onlyActive, (query) => query.where("u.active", "=", 1))
    .orderBy("u.name_key")
    .orderBy("u.id")
    .limit(maxMatches);
  return inEachRange<UserId>(ctx, ranges, named);
}

async function bySimilarName(ctx: Ctx, ranges: readonly KeyRange[]) {
  const found = Map.groupBy(await amongWords(ctx, ranges, fewWords), ({ text }) => text);
  const scarce = ranges.filter(({ text }) => (found.get(text)?.length ?? 0) < maxMatches);
  for (const { text } of scarce) found.delete(text);
  return [...found.values()].flat().concat(await amongWords(ctx, scarce, maxWords));
}

function amongWords(ctx: Ctx, ranges: readonly KeyRange[], max: number) {
  const beginning = ctx.db
    .selectFrom("user_words as w")
    .select(["w.word", "w.user_id"])
    .where("w.kind", "=", wordKinds.name)
    .where(sql<SqlBool>`w.word between asked.low and asked.high`)
    .orderBy("w.word")
    .orderBy("w.user_id")
    .limit(max);
  const similar = ctx.db
    .selectFrom(beginning.as("b"))
    .innerJoin("users as u", "u.id", "b.user_id")
    .select("u.id")
    .where("u.active", "=", 1)
    .where("u.deleted_at", "is", null)
    .groupBy("u.id")
    .orderBy((eb) => eb.fn.min("b.word"))
    .orderBy("u.id")
    .limit(maxMatches);
  return inEachRange<UserId>(ctx, ranges, similar);
}

async function firstUsers({ db }: Ctx) {
  const users = db.selectFrom("users").select("id").where("active", "=", 1).orderBy("id").limit(maxMatches);
  return (await users.execute()).map(({ id }) => ({ text: "", id }));
}
