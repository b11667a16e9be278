import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { password } from "../support/actors.ts";
import { type DatabaseKind, type Instance, newInstance } from "../support/instance.ts";
import { codeOf, outcome } from "../support/outcome.ts";
import { enrol, totpCode } from "../support/second-factor.ts";
import { type SecondProcess, startSecondProcess } from "../support/second-process.ts";

/** Counts the transactions of each request. */
const requests = new AsyncLocalStorage<{ writes: number }>();

/**
 * The database, on which the `nth` transactions of so many requests begin at the same moment. A sign-in with a code reserves
 * a place for the password and one for the code, and then uses the code up.
 */
function meetingAt(nth: number, count: number, database: Database): Database {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return {
    ...database,
    async writeLocking(work) {
      const request = requests.getStore();
      if (request) request.writes += 1;
      if (request?.writes === nth) {
        arrived += 1;
        if (arrived === count) resolve();
        await promise;
      }
      return database.writeLocking(work);
    },
  };
}

/** A database that runs other work between the check of a secret and the count of its result. */
function interrupted(database: Database, other: () => Promise<unknown>): Database {
  let writes = 0;
  return {
    ...database,
    async writeLocking(work) {
      writes += 1;
      if (writes === 2) await other();
      return database.writeLocking(work);
    },
  };
}

describe.each<DatabaseKind>(["sqlite", "postgres"])("two factors in two processes (%s)", (database) => {
  let instance: Instance;
  let second: SecondProcess;
  beforeAll(async () => {
    instance = await newInstance({ database, caller: "local" });
    second = await startSecondProcess(instance.target);
  });
  afterAll(async () => {
    second.stop();
    await instance.close();
  });
  const addEnrolled = async (email: string) => {
    const person = { first_name: "Ann", last_name: "Lee", email, unit: 1, password };
    const { id } = await instance.administrator.call(users.create, person);
    const caller = await instance.as(id);
    return { caller, ...(await enrol(caller, instance)) };
  };
  /** Signs in 20 times at once with one code, and returns how often each result came out. */
  const signInTwentyTimes = async (username: string, otp: string) => {
    const input = { username, password, otp };
    const calls = Array.from({ length: 20 }, (_, n) =>
      n % 2
        ? second.call("", auth.authenticate, input)
        : outcome(instance.service.invoke(auth.authenticate, input, {})),
    );
    const codes = (await Promise.all(calls)).map((each) => ("refusal" in each ? each.refusal.code : "ok"));
    return { signedIn: codes.filter((code) => code === "ok").length, others: [...new Set(codes)].sort() };
  };
  const refusals = /^(ok|ok,otp_required|ok,otp_required,too_many_requests)$/;

  it("auth.authenticate: one of 20 simultaneous sign-ins with one code of the app succeeds", async () => {
    const { secret } = await addEnrolled("app@example.com");
    // The code of the present step has confirmed two factors.
    const { signedIn, others } = await signInTwentyTimes("app@example.com", totpCode(secret, instance.now() + 30));
    expect(signedIn).toBe(1);
    expect(others.join()).toMatch(refusals);
  });

  it("auth.authenticate: one of 20 simultaneous sign-ins with one recovery code succeeds", async () => {
    const { caller, codes } = await addEnrolled("paper@example.com");
    const { signedIn, others } = await signInTwentyTimes("paper@example.com", codes[0]!);
    expect(signedIn).toBe(1);
    expect(others.join()).toMatch(refusals);
    expect((await caller.call(auth.twoFactorStatus, {})).recovery_codes_left).toBe(9);
  });

  it.each(["the app", "paper"])(
    "of 4 sign-ins that found a code of %s unused at the same moment, one succeeds",
    async (kind) => {
      const email = `${kind.replace(" ", ".")}.again@example.com`;
      const { secret, codes } = await addEnrolled(email);
      const input = {
        username: email,
        password,
        otp: kind === "paper" ? codes[0]! : totpCode(secret, instance.now() + 30),
      };
      const service = createService({ database: meetingAt(3, 4, instance.database) });
      const results = await Promise.all(
        Array.from({ length: 4 }, () =>
          requests.run({ writes: 0 }, () => outcome(service.invoke(auth.authenticate, input, {}))),
        ),
      );
      const found = results.map((each) => ("refusal" in each ? each.refusal.code : "ok")).sort();
      expect(found).toEqual(["ok", ...Array(3).fill("otp_required")]);
    },
  );

  it("auth.twoFactorConfirm: one of 10 simultaneous calls with one code succeeds", async () => {
    const person = { first_name: "Bo", last_name: "Lee", email: "bo@example.com", unit: 1, password };
    const { id } = await instance.administrator.call(users.create, person);
    const token = await instance.tokenOf(id);
    const { secret } = await instance.withToken(token).call(auth.twoFactorBegin, { password });
    const input = { code: totpCode(secret, instance.now()) };
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        n % 2
          ? second.call(token, auth.twoFactorConfirm, input)
          : outcome(instance.service.invoke(auth.twoFactorConfirm, input, { token })),
      ),
    );
    const codes = results.map((each) => ("refusal" in each ? each.refusal.code : "ok")).sort();
    expect(codes).toEqual([...Array(9).fill("conflict"), "ok"]);
  });

  it("auth.twoFactorBegin does not replace a secret that is confirmed at the same moment", async () => {
    const person = { first_name: "Cy", last_name: "Lee", email: "cy@example.com", unit: 1, password };
    const { id } = await instance.administrator.call(users.create, person);
    const token = await instance.tokenOf(id);
    const { secret } = await instance.withToken(token).call(auth.twoFactorBegin, { password });
    const confirm = () =>
      instance.service.invoke(auth.twoFactorConfirm, { code: totpCode(secret, instance.now()) }, { token });
    const service = createService({ database: interrupted(instance.database, confirm) });
    expect(await codeOf(service.invoke(auth.twoFactorBegin, { password }, { token }))).toBe("conflict");
    const input = { username: person.email, password, otp: totpCode(secret, instance.now() + 30) };
    expect(await codeOf(instance.service.invoke(auth.authenticate, input, {}))).toBe("ok");
  });
});
