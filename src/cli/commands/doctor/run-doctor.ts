import { isApiToken } from "../../../contract/api-token-prefix.ts";
import type { Caller } from "../../../contract/operation.ts";
import { tokenTimesOf } from "../../../http/client/token-times.ts";
import { unlessRefused } from "../../errors/unless-refused.ts";
import type { Context } from "../../kit/command-spec.ts";
import { environmentToken } from "../../session/environment-login.ts";
import { findTarget } from "../../session/target.ts";
import { lineOf } from "../../terminal/shell-words.ts";
import { machineChecks, readMachineFacts } from "./check-machine.ts";
import { errorFinding, type Finding, judgeFacts, showFindings } from "./finding.ts";

export async function runDoctor(context: Context): Promise<void> {
  await showFindings(findAll(context), context);
}

/**
 * Stages by the name of the finding when a stage fails; the following stages then cannot run. There are no findings about things
 * that the user has no access to, which the check `rights` reports.
 */
const stages: Readonly<Record<string, (context: Context) => Promise<Finding[] | undefined>>> = {
  target: findInTarget,
  login: findInLogin,
  "API tokens": (context) => findAllowed("findInTokens", context),
  service: (context) => findAllowed("findInService", context),
};

const findAllowed = (find: "findInTokens" | "findInService", context: Context) =>
  unlessRefused(
    "forbidden",
    ask(context, async (caller) => (await import("./check-service.ts"))[find](caller)),
  );

async function findAll(context: Context): Promise<Finding[]> {
  const findings = judgeFacts(machineChecks, readMachineFacts(context.terminal.env));
  for (const [name, stage] of Object.entries(stages)) {
    try {
      findings.push(...((await stage(context)) ?? []));
    } catch (error) {
      return [...findings, errorFinding(name, error)];
    }
  }
  return findings;
}

async function findInTarget(context: Context): Promise<Finding[]> {
  const { terminal, globals, connect } = context;
  const { address, remote } = findTarget(globals, terminal.env);
  if (!remote) {
    const { databaseChecks, readDatabaseFacts } = await import("./check-database-facts.ts");
    const facts = await readDatabaseFacts(context, address);
    return judgeFacts(databaseChecks, { ...facts, checkLine: lineOf(["db", "check", ...flagOf(globals)]) });
  }
  const { instanceChecks, readInstanceFacts } = await import("./check-instance.ts");
  const { raw } = await connect({ anonymous: true });
  // Connections to instances have it.
  return judgeFacts(instanceChecks, await readInstanceFacts(raw!, address));
}

const flagOf = ({ profile, db }: Context["globals"]): string[] =>
  profile !== undefined ? ["--profile", profile] : db !== undefined ? ["--db", db] : [];

async function findInLogin(context: Context): Promise<Finding[]> {
  const { loginChecks } = await import("./check-service.ts");
  const user = await ask(context, async (caller) =>
    caller.call((await import("../../../contract/users.ts")).users.current, {}),
  );
  const token = tokenOf(context);
  const expires = token === undefined ? undefined : tokenTimesOf(token)?.expires;
  const facts = { expires, apiToken: token !== undefined && isApiToken(token) };
  return judgeFacts(loginChecks, { user, ...facts, now: Date.now() / 1000 });
}

/** Runs `work` with the current login, without renewing it or prompting for one. */
async function ask<T>({ connect }: Context, work: (caller: Caller) => Promise<T>): Promise<T> {
  return work((await connect({ asIs: true })).caller);
}

function tokenOf({ terminal, globals }: Context): string | undefined {
  if (globals.as !== undefined) return undefined;
  const target = findTarget(globals, terminal.env);
  return environmentToken(terminal.env, target) ?? target.profile?.token;
}
