import { createHash } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { sessions } from "../../src/contract/sessions.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, refusal, tally, wrongFields } from "../support/outcome.ts";
import { mailedToken } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const fresh = "an entirely new password";

describeEverywhere("password reset", (environment) => {
  const world = useWorld(environment);
  const request = (email: string) => world().stranger.call(auth.passwordRequest, { email });
  const reset = (email: string, token: string, to = fresh, again = to) =>
    world().stranger.call(auth.passwordReset, { email, token, password: to, password_confirm: again });
  const signIn = (username: string, as: string) => world().stranger.call(auth.authenticate, { username, password: as });
  const mails = () => world().instance.database.reader.selectFrom("mails").selectAll().orderBy("id").execute();
  const requested = async (email: string) => {
    await request(email);
    return mailedToken(world().instance, email);
  };

  // All requests come from one address, so those of one test would count in the next.
  beforeEach(() => world().instance.wait(3601));

  it("auth.passwordRequest queues one mail; its token is created when it is sent, and stored as a hash only", async () => {
    const { instance, ids } = world();
    const before = (await mails()).length;
    expect(await request("MEMBER@example.com")).toBeUndefined();
    const added = (await mails()).slice(before);
    expect(added).toMatchObject([
      { kind: "password_reset", user_id: ids.member, recipient: "member@example.com", state: "waiting" },
    ]);
    const kept = () =>
      instance.database.reader.selectFrom("password_tokens").selectAll().where("user_id", "=", ids.member).execute();
    expect(await kept()).toEqual([]);
    instance.wait(60);
    const token = await mailedToken(instance, "member@example.com");
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    const token_hash = createHash("sha256").update(token).digest("base64url");
    expect(await kept()).toMatchObject([{ token_hash, expires_at: instance.now() + 1800 }]);
  });

  it("auth.passwordRequest responds the same without a mail to unknown, deactivated, deleted and external users", async () => {
    const { instance, actors, addUser } = world();
    const deleted = await addUser();
    await actors.administrator.call(users.delete, { id: deleted.id });
    const elsewhere = await addUser();
    await instance.database.write((tx) =>
      tx.updateTable("users").set({ provider: "entra" }).where("id", "=", elsewhere.id).execute(),
    );
    const before = await mails();
    for (const email of ["unknown@example.com", "deactivated@example.com", deleted.email!, elsewhere.email!]) {
      expect(await request(email), email).toBeUndefined();
    }
    expect(await mails()).toEqual(before);
    for (const email of ["unknown@example.com", elsewhere.email!])
      expect(await wrongFields(reset(email, "x")), email).toEqual(["token"]);
  });

  it("auth.passwordReset sets the password once, and ends the tokens", async () => {
    const { instance, addUser } = world();
    const { id, email } = await addUser({ password });
    const signedIn = await instance.tokenOf(id);
    const token = await requested(email!);
    expect(await reset(email!.toUpperCase(), token)).toBeUndefined();
    expect(await codeOf(instance.withToken(signedIn).call(users.current, {}))).toBe("unauthenticated");
    expect(await codeOf(signIn(email!, password))).toBe("unauthenticated");
    const [{ jwt }] = await signIn(email!, fresh);
    const { data } = await instance.withToken(jwt).call(sessions.list, {});
    expect(data).toMatchObject([{ current: true }]);
    expect(await wrongFields(reset(email!, token, "yet another password"))).toEqual(["token"]);
    expect(await codeOf(signIn(email!, fresh))).toBe("ok");
  });

  it("auth.passwordReset: one of 50 simultaneous uses of a token succeeds", async () => {
    const { email } = await world().addUser();
    const token = await requested(email!);
    const uses = Array.from({ length: 50 }, (_, n) => reset(email!, token, `password number ${n}`));
    expect(await tally(uses)).toEqual({ ok: 1, validation_failed: 49 });
  });

  it("auth.passwordReset: a token is valid for 30 minutes, or until the next one", async () => {
    const { instance, addUser } = world();
    const { email } = await addUser();
    const [first, second] = [await requested(email!), await requested(email!)];
    expect(await wrongFields(reset(email!, first))).toEqual(["token"]);
    instance.wait(1795);
    expect(await codeOf(reset(email!, second))).toBe("ok");
    const third = await requested(email!);
    instance.wait(1800);
    expect(await wrongFields(reset(email!, third))).toEqual(["token"]);
  });

  it("auth.passwordReset: a token from a welcome mail is valid until a newer welcome mail, not until a reset is requested", async () => {
    const { instance, addUser, actors } = world();
    const { id, email } = await addUser();
    const invited = async () => {
      await actors.administrator.call(users.welcome, { users: [id] });
      return mailedToken(instance, email!);
    };
    const [first, second] = [await invited(), await invited()];
    await requested(email!);
    instance.wait(3600);
    expect(await wrongFields(reset(email!, first))).toEqual(["token"]);
    const third = await requested(email!);
    expect(await codeOf(reset(email!, second))).toBe("ok");
    expect(await wrongFields(reset(email!, third))).toEqual(["token"]);
  });

  it("auth.passwordReset: setting a password through the link of a reset ends that of the welcome mail", async () => {
    const { instance, addUser, actors } = world();
    const { id, email } = await addUser();
    await actors.administrator.call(users.welcome, { users: [id] });
    const welcome = await mailedToken(instance, email!);
    expect(await codeOf(reset(email!, await requested(email!)))).toBe("ok");
    expect(await wrongFields(reset(email!, welcome))).toEqual(["token"]);
  });

  it("auth.passwordReset refuses the token of another user", async () => {
    const { addUser } = world();
    const [one, other] = [await addUser(), await addUser()];
    const token = await requested(one.email!);
    await request(other.email!);
    const foreign = await refusal(reset(other.email!, token));
    expect(Object.keys(foreign.fields ?? {})).toEqual(["token"]);
    expect(await refusal(reset("unknown@example.com", token))).toEqual(foreign);
    const short = await refusal(reset(other.email!, token, "short"));
    expect(Object.keys(short.fields ?? {}).sort()).toEqual(["password", "token"]);
    expect(await refusal(reset("unknown@example.com", token, "short"))).toEqual(short);
    expect(await codeOf(reset(one.email!, token))).toBe("ok");
  });

  it("auth.passwordReset: a refused password leaves the token valid", async () => {
    const { email, first_name, last_name } = await world().addUser({ first_name: "Wilhelmina" });
    const token = await requested(email!);
    expect(await wrongFields(reset(email!, token, fresh, `${fresh}!`))).toEqual(["password_confirm"]);
    for (const bad of ["short", "password1", email!, `${first_name} ${last_name}`]) {
      expect(await wrongFields(reset(email!, token, bad)), bad).toEqual(["password"]);
    }
    expect(await codeOf(reset(email!, token))).toBe("ok");
  });

  it("auth.passwordReset: a change of the password, deactivation and deletion end the token", async () => {
    const { addUser, actors, instance } = world();
    const endings = [
      async (id: number) => (await instance.as(id)).call(users.password, { id, password }),
      (id: number) => actors.administrator.call(users.password, { id, password }),
      (id: number) => actors.administrator.call(users.deactivate, { id }),
      (id: number) => actors.administrator.call(users.delete, { id }),
    ];
    for (const end of endings) {
      const { id, email } = await addUser();
      const token = await requested(email!);
      await end(id);
      expect(await wrongFields(reset(email!, token))).toEqual(["token"]);
    }
  });

  it("auth.passwordReset refuses a token from before the user was deactivated and reactivated", async () => {
    const { addUser, actors } = world();
    const { id, email } = await addUser();
    const token = await requested(email!);
    await actors.administrator.call(users.deactivate, { id });
    await actors.administrator.call(users.reactivate, { id });
    expect(await wrongFields(reset(email!, token))).toEqual(["token"]);
  });

  it("auth.passwordReset names all wrong fields", async () => {
    const input = { token: "", email: "nonsense", password: "", password_confirm: 1, else: true };
    expect(await wrongFields(world().stranger.call(auth.passwordReset, input as never))).toEqual([
      "else",
      "email",
      "password",
      "password_confirm",
      "token",
    ]);
  });
});
