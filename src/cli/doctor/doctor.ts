import type { Caller } from "../../contract/operation.ts";
import { counted } from "../counted.ts";
import { ConditionError } from "../failure.ts";
import { createOutput } from "../output.ts";
import { findTarget } from "../target.ts";
import { timesOf } from "../token.ts";
import type { Context } from "../tree.ts";
import { examine, type Finding, failure } from "./finding.ts";
import { lookAtMachine, machineChecks } from "./machine.ts";

/** `wcs doctor` */
export async function doctor(context: Context): Promise<void> {
  const { terminal, globals } = context;
  const findings = await terminal.spin("looking", findAll(context));
  const items = findings.map(({ check, state, message }) => ({ check, state, message }));
  const draw = async () => (await import("./drawing.ts")).drawFindings;
  await createOutput({ draw, columns: ["check", "state", "message"] }, globals, terminal).list([
    { items, more: false, response: items },
  ]);
  const failed = findings.filter(({ state }) => state === "failed");
  if (failed.length > 0) throw new ConditionError(`${counted(failed.length, "check")} of ${findings.length} failed`);
}

type Stage = (context: Context) => Promise<Finding[]>;

/** By what is named when a stage cannot be looked at; then those behind it cannot, either. */
const stages: Readonly<Record<string, Stage>> = {
  target: findInTarget,
  login: findInLogin,
  service: findInService,
};

async function findAll(context: Context): Promise<Finding[]> {
  const findings = examine(machineChecks, lookAtMachine(context.terminal.env));
  for (const [name, stage] of Object.entries(stages)) {
    try {
      findings.push(...(await stage(context)));
    } catch (error) {
      return [...findings, failure(name, error)];
    }
  }
  return findings;
}

async function findInTarget({ terminal, globals, connect }: Context): Promise<Finding[]> {
  const { address, remote } = findTarget(globals, terminal.env);
  if (!remote) {
    const { databaseChecks, lookAtDatabase } = await import("./database.ts");
    return examine(databaseChecks, await lookAtDatabase(address, terminal.env));
  }
  const { instanceChecks, lookAtInstance } = await import("./instance.ts");
  const { caller, raw } = await connect({ anonymous: true });
  try {
    return examine(instanceChecks, await lookAtInstance(raw!, address));
  } finally {
    await caller.close();
  }
}

async function findInLogin(context: Context): Promise<Finding[]> {
  const { loginChecks } = await import("./service.ts");
  const user = await ask(context, async (caller) =>
    caller.call((await import("../../contract/users.ts")).users.current, {}),
  );
  return examine(loginChecks, { user, expires: expiryOf(context), now: Date.now() / 1000 });
}

/** What only administrators see is left out for others; the check of their rights says so. */
async function findInService(context: Context): Promise<Finding[]> {
  const { lookAtService, serviceChecks } = await import("./service.ts");
  try {
    return examine(serviceChecks, await ask(context, lookAtService));
  } catch (error) {
    if ((error as { code?: string }).code === "forbidden") return [];
    throw error;
  }
}

/** The login is taken as it is: neither renewed nor asked for. */
async function ask<T>({ connect }: Context, work: (caller: Caller) => Promise<T>): Promise<T> {
  const { caller } = await connect({ asIs: true });
  try {
    return await work(caller);
  } finally {
    await caller.close();
  }
}

/** When the token ends with which `ask` asks; the owner of a database needs none. */
function expiryOf({ terminal, globals }: Context): number | undefined {
  if (globals.as !== undefined) return undefined;
  const token = terminal.env.WCS_TOKEN || findTarget(globals, terminal.env).profile?.token;
  return token === undefined ? undefined : timesOf(token)?.expires;
}
