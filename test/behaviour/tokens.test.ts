import { expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { createService, type Service } from "../../src/core/service.ts";
import { password, useWorld } from "../support/actors.ts";
import { forgeries } from "../support/forgeries.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

const day = 86_400;

describeEverywhere("tokens", (environment) => {
  const world = useWorld(environment);
  const current = (token: string) => world().instance.withToken(token).call(users.current, {});
  const renew = async (token: string) => (await world().instance.withToken(token).call(auth.renew, {}))[0];
  const signIn = async (username: string, as = password) =>
    (await world().stranger.call(auth.authenticate, { username, password: as }))[0];

  // The permissions of all operations are tested with the forged ones.
  it("a correct token that is made in the same way as forged ones is accepted", async () => {
    const { control } = await forgeries(world().instance);
    expect((await current(control)).id).toBe(1);
  });

  it("WCS_TOKEN_KEY signs and verifies tokens in place of the key in the database", async () => {
    const { database, tokenOf, now } = world().instance;
    const service = (WCS_TOKEN_KEY: string) =>
      createService({ database, clock: () => now() * 1000, environment: { WCS_TOKEN_KEY } });
    const known = (by: Service, token: string) => codeOf(by.caller({ token }).call(users.current, {}));
    const [one, other] = [service("k".repeat(32)), service("æ".repeat(16))];
    const [{ jwt }] = await one.caller({ userId: 1 }).call(auth.renew, {});
    expect([await known(one, jwt), await known(other, jwt)]).toEqual(["ok", "unauthenticated"]);
    const list = (by: Service, cursor?: string) => by.caller({ userId: 1 }).call(usertypes.list, { limit: 1, cursor });
    const cursor = (await list(one)).meta.next_cursor!;
    expect([await codeOf(list(one, cursor)), await wrongFields(list(other, cursor))]).toEqual(["ok", ["cursor"]]);
    expect(await known(one, await tokenOf(1))).toBe("unauthenticated");
    expect(await codeOf(current(jwt))).toBe("unauthenticated");
    const short = await refusal(service("k".repeat(31)).caller({ userId: 1 }).call(auth.renew, {}));
    expect(short).toMatchObject({ code: "unavailable", message: "WCS_TOKEN_KEY is shorter than 32 bytes." });
  });

  it("a token of a server whose clock is 60 s ahead is accepted, one of 61 s is not", async () => {
    const { database, now, freeze } = world().instance;
    freeze();
    const outcome = async (ahead: number) => {
      const service = createService({ database, clock: () => (now() + ahead) * 1000 });
      const [{ jwt }] = await service.caller({ userId: 1 }).call(auth.renew, {});
      return codeOf(current(jwt));
    };
    expect([await outcome(60), await outcome(61)]).toEqual(["ok", "unauthenticated"]);
  });

  const endings: Record<string, (id: number) => Promise<unknown>> = {
    "users.password": (id) => world().actors.administrator.call(users.password, { id, password: "another password" }),
    "users.deactivate": (id) => world().actors.administrator.call(users.deactivate, { id }),
    "users.delete": (id) => world().actors.administrator.call(users.delete, { id }),
  };
  for (const [name, end] of Object.entries(endings)) {
    it(`${name} immediately ends all tokens of the user, and no others`, async () => {
      const { instance, addUser, ids } = world();
      const { id } = await addUser();
      const tokens = [await instance.tokenOf(id), await instance.tokenOf(id)];
      tokens.push((await renew(tokens[0]!)).jwt);
      const other = await instance.tokenOf(ids.outsider);
      await Promise.all(tokens.map(current));
      await end(id);
      for (const token of tokens) {
        expect(await codeOf(current(token))).toBe("unauthenticated");
        expect(await codeOf(renew(token))).toBe("unauthenticated");
      }
      expect(await codeOf(current(other))).toBe("ok");
    });
  }

  it("users.reactivate restores no token", async () => {
    const { instance, ids } = world();
    const token = await instance.tokenOf(ids.colleague);
    await world().actors.administrator.call(users.deactivate, { id: ids.colleague });
    await world().actors.administrator.call(users.reactivate, { id: ids.colleague });
    expect(await codeOf(current(token))).toBe("unauthenticated");
    expect(await codeOf(current(await instance.tokenOf(ids.colleague)))).toBe("ok");
  });

  it("auth.renew returns a newer token, and the old one stays valid until it expires", async () => {
    const { instance } = world();
    const first = await signIn("member@example.com");
    expect(first.expires).toBe(instance.now() + day);
    instance.wait(day - 60);
    const second = await renew(first.jwt);
    expect(second.jwt).not.toBe(first.jwt);
    expect(second.expires).toBeGreaterThanOrEqual(first.expires + day - 61);
    expect((await current(first.jwt)).id).toBe(world().ids.member);
    instance.wait(60);
    expect(await codeOf(current(first.jwt))).toBe("unauthenticated");
    expect(await codeOf(renew(first.jwt))).toBe("unauthenticated");
    expect((await current(second.jwt)).id).toBe(world().ids.member);
  });

  it("auth.renew: 50 simultaneous calls return valid tokens, and sign nobody out", async () => {
    const { jwt } = await signIn("member@example.com");
    const renewed = await Promise.all(Array.from({ length: 50 }, () => renew(jwt)));
    expect(new Set(renewed.map((each) => each.jwt)).size).toBe(50);
    for (const each of [jwt, ...renewed.map((one) => one.jwt)]) expect(await codeOf(current(each))).toBe("ok");
  });

  it("auth.renew is possible for exactly 30 days after the sign-in", async () => {
    const { instance } = world();
    let token = await signIn("member@example.com");
    const end = token.expires - day + 30 * day;
    for (let days = 0; days < 33 && token.expires < end; days++) {
      instance.wait(day - 30);
      token = await renew(token.jwt);
    }
    expect(token.expires).toBe(end);
    instance.wait(end - instance.now() - 2);
    expect((await renew(token.jwt)).expires).toBe(end);
    instance.wait(3);
    expect(await codeOf(renew(token.jwt))).toBe("unauthenticated");
  });

  it("auth.renew applies the settings tokens.lifetime and tokens.absolute_lifetime", async () => {
    const { instance } = world();
    const administrator = await instance.as(1);
    await administrator.call(settings.set, { "tokens.lifetime": 100, "tokens.absolute_lifetime": 150 });
    instance.wait(1);
    const { jwt, expires } = await signIn("member@example.com");
    expect(expires - instance.now()).toBeLessThanOrEqual(100);
    instance.wait(90);
    expect((await renew(jwt)).expires).toBe(expires + 50);
    await (await instance.as(1)).call(settings.set, { "tokens.absolute_lifetime": 91 });
    instance.wait(1);
    expect(await codeOf(current(jwt)), "good until its end").toBe("ok");
    expect(await codeOf(renew(jwt)), "signed in too long ago now").toBe("unauthenticated");
    const again = await instance.as(1);
    await again.call(settings.set, { "tokens.lifetime": null, "tokens.absolute_lifetime": null });
    instance.wait(1);
  });

  it("auth.renew: a shorter lifetime than before does not end the session of an earlier token sooner", async () => {
    const { instance } = world();
    const { jwt } = await signIn("member@example.com");
    await (await instance.as(1)).call(settings.set, { "tokens.lifetime": 100 });
    instance.wait(1);
    await renew(jwt);
    instance.wait(200);
    // Removes sessions of the user that have ended.
    await signIn("member@example.com");
    expect(await codeOf(current(jwt))).toBe("ok");
    await (await instance.as(1)).call(settings.set, { "tokens.lifetime": null });
    instance.wait(1);
  });

  it("a call without a token gets the message to sign in first", async () => {
    expect(await refusal(world().stranger.call(users.current, {}))).toMatchObject({
      code: "unauthenticated",
      message: "Sign in first: this needs a token.",
    });
  });
});
