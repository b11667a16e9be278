import type { FieldErrors } from "../../contract/errors.ts";
import { type Issue, messageOf } from "../../contract/issue-messages.ts";
import { findRow } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";

/** Returns the issue with a language that is not offered. Case does not matter, and pt covers pt-br. */
export function languageIssue(
  { settings }: Ctx,
  language: string | null | undefined,
): Omit<Issue, "field"> | undefined {
  const tag = language?.toLowerCase();
  if (tag === undefined || settings.languages.some((offered) => `${tag}-`.startsWith(`${offered.toLowerCase()}-`)))
    return undefined;
  return { code: "language_not_offered", params: { offered: settings.languages } };
}

/** Returns the issue with a new language of a user. A user keeps a language that is no longer offered. */
export async function languageIssues(
  ctx: Ctx,
  { id, language }: { readonly id?: number | undefined; readonly language?: string | null | undefined },
): Promise<FieldErrors> {
  const issue = languageIssue(ctx, language);
  if (issue === undefined) return {};
  const user = await findRow(ctx.db, "users", { id: id ?? 0 }, ["language"]);
  return user?.language === language ? {} : { language: [messageOf(issue)] };
}
