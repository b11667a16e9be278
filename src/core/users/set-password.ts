import type { FieldIssues } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { users as contract } from "../../contract/users.ts";
import { findRow } from "../../store/bulk.ts";
import { attempt, proofSubject } from "../directory/attempts.ts";
import { replacePassword } from "../directory/end-access.ts";
import { checkPassword, hashForAnother, hashInTurn, passwordIssue } from "../directory/passwords.ts";
import { serviceProvider } from "../directory/service-accounts.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { requireUser } from "../pipeline/permissions.ts";
import { accountOfUser } from "../pipeline/rate-limits.ts";

/** Sets a password. Hashes outside the transaction, because it would block all other writers. */
export const password: Handlers<typeof contract>["password"] = async (ctx, { id, password, current }) => {
  const user = await findRow(ctx.db, "users", { id }, ["id", "password_hash", "deleted_at", "token_version"]);
  requireUser(user, id);
  const issues = await passwordIssues(ctx, { id, password, current });
  if (id === ctx.actor.id) Object.assign(issues, await currentIssues(ctx, user.password_hash, current));
  requireNoIssues(issues);
  const hash = id === ctx.actor.id ? hashInTurn : hashForAnother;
  const password_hash = await hash(accountOfUser(ctx.actor.id), password);
  await ctx.transaction((tx) => replacePassword(tx, user, password_hash));
};

type Input = InputOf<typeof contract.password>;

/** Returns the issues of a new password and of a missing current one; see `Checks`. */
export async function passwordIssues(ctx: Ctx, { id, password, current }: Partial<Input>): Promise<FieldIssues> {
  const columns = ["email", "first_name", "last_name", "password_hash", "provider"] as const;
  const user = await findRow(ctx.db, "users", { id: id ?? 0 }, columns);
  if (user === undefined) return {};
  if (password !== undefined && user.provider !== "local") {
    return { password: [{ code: user.provider === serviceProvider ? "service_account" : "managed_elsewhere" }] };
  }
  const issues: FieldIssues = {};
  const issue = password === undefined ? undefined : await passwordIssue(password, user, ctx.settings);
  if (issue !== undefined) issues.password = [issue];
  if (id === ctx.actor.id && user.password_hash !== null && current === undefined) {
    issues.current = ["is required to change your own password"];
  }
  return issues;
}

/** Limits guessing the current password with a stolen token. Sign-ins have a separate limit. */
async function currentIssues(ctx: Ctx, hash: string | null, current: string | undefined): Promise<FieldIssues> {
  if (hash === null || current === undefined) return {};
  const subject = proofSubject(ctx);
  const { good } = await attempt(ctx, subject, { check: () => checkPassword(subject.account, current, hash) });
  return good ? {} : { current: ["is not your current password"] };
}
