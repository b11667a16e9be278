import { expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { password, useWorld, type World } from "../support/actors.ts";
import { upload } from "../support/attachments.ts";
import { describeEverywhere, describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, outcome, wrongFields } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

/** Requests with a key, and what they made. */
function keyed(world: () => World) {
  const admin = () => world().actors.administrator;
  const person = (email: string) => ({ first_name: "Once", last_name: "Only", email, unit: world().units.harbour });
  const create = (email: string, idempotencyKey: string, by: Caller = admin()) =>
    by.call(users.create, person(email), { idempotencyKey });
  const countOf = async (email: string) => {
    const rows = world().instance.database.reader.selectFrom("users").select("id").where("email_key", "=", email);
    return (await rows.execute()).length;
  };
  return { admin, person, create, countOf };
}

describeEverywhere("Idempotency-Key of requests that compete", (environment) => {
  const world = useWorld(environment);
  const { admin, person, create, countOf } = keyed(world);

  it("100 simultaneous requests with one key create one thing", async () => {
    const all = await Promise.all(
      Array.from({ length: 100 }, async () => {
        try {
          return (await create("parallel@example.com", "k9")).id;
        } catch (error) {
          return (error as { code?: string }).code;
        }
      }),
    );
    const ids = new Set(all.filter((each) => typeof each === "number"));
    expect(ids.size).toBe(1);
    // Others may be told that the first is still running; they may ask again.
    expect(all.filter((each) => typeof each !== "number" && each !== "conflict")).toEqual([]);
    expect(await countOf("parallel@example.com")).toBe(1);
    expect((await create("parallel@example.com", "k9")).id).toBe([...ids][0]);
  });

  it("a repeat while the first request runs gets 409 with Retry-After: 1, and other users may use the key", async () => {
    // Hashing the password takes a while.
    const key = { idempotencyKey: "k10" };
    const ask = () => admin().call(users.create, { ...person("running@example.com"), password }, key);
    const other = () => world().actors.manager.call(posts.create, { content_type: "debate", title: "Mine" }, key);
    const [ofOther, ...both] = await Promise.all([codeOf(other()), outcome(ask()), outcome(ask())]);
    expect(ofOther).toBe("ok");
    expect(both.filter((each) => "answer" in each)).toHaveLength(1);
    const refused = both.flatMap((each) => ("refusal" in each ? [each.refusal] : []));
    const message = "A request with this Idempotency-Key is still running.";
    expect(refused).toMatchObject([{ code: "conflict", retryAfter: 1, message }]);
  });

  it("two servers on one database: 20 simultaneous requests with one key create one thing", async () => {
    const { createService } = await import("../../src/core/service.ts");
    const { database } = world().instance;
    const servers = [1, 2, 3].map(() => createService({ database }).caller({ userId: 1 }));
    const made = await Promise.all(
      Array.from({ length: 18 }, (_, n) => codeOf(create("servers@example.com", "k11", servers[n % 3]))),
    );
    expect(made.filter((code) => code === "ok").length).toBeGreaterThanOrEqual(1);
    expect(made.filter((code) => code !== "ok" && code !== "conflict")).toEqual([]);
    expect(await countOf("servers@example.com")).toBe(1);
  });

  it("operations with one transaction store the key, too", async () => {
    const { units: places } = world();
    const add = () => admin().call(units.create, { name: "Keyed", parent: places.yard }, { idempotencyKey: "k12" });
    const first = await add();
    expect(await add()).toEqual(first);
    expect((await admin().call(units.get, { id: places.yard })).stats.children).toBe(1);
  });
});

describeOnOneDatabase("Idempotency-Key", (environment) => {
  const world = useWorld(environment);
  const { admin, person, create, countOf } = keyed(world);

  it("a repeat gets the first response, whatever happened since", async () => {
    const first = await create("first@example.com", "k1");
    await admin().call(users.update, { id: first.id, title: "Changed since" });
    expect(await create("first@example.com", "k1")).toEqual(first);
    await admin().call(users.delete, { id: first.id });
    // The response mentioned the deleted user; the request is not executed again.
    expect(await codeOf(create("first@example.com", "k1"))).toBe("conflict");
    expect(await countOf("first@example.com")).toBe(0);
  });

  it("a repeat gets the first response when its references were deleted since", async () => {
    const { id: unit } = await admin().call(units.create, { name: "Brief", parent: world().units.harbour });
    const { id: type } = await admin().call(usertypes.create, { name: "Brief", abilities: {} });
    const input = { ...person("brief@example.com"), unit, userTypes: [type] };
    const ask = (idempotencyKey: string) => admin().call(users.create, input, { idempotencyKey });
    const first = await ask("brief");
    await admin().call(users.membershipSet, { user: first.id, from: unit, userTypes: [] });
    await admin().call(usertypes.delete, { id: type });
    expect(await ask("brief")).toEqual(first);
    await admin().call(units.delete, { id: unit, transfer: world().units.harbour });
    expect(await ask("brief")).toEqual(first);
    expect(await wrongFields(ask("brief2"))).toEqual(["unit", "userTypes"]);
  });

  it("a repeat with a file gets the first response, also when the actor has lost the permission", async () => {
    const { id } = await admin().call(usertypes.create, { name: "Reporter", abilities: { news: true } });
    const reporter = await world().instance.as((await world().addUser({ userTypes: [id] })).id);
    const post = (idempotencyKey: string) =>
      reporter.call(
        posts.create,
        { content_type: "news", title: "Wire", files: [upload("a.txt", "x")] },
        { idempotencyKey },
      );
    const first = await post("wire");
    await admin().call(usertypes.update, { id, abilities: { news: false } });
    expect(await codeOf(post("wire2"))).toBe("forbidden");
    expect(await post("wire")).toEqual(first);
  });

  it("a dry run with a used key runs, and does not return the stored response", async () => {
    const first = await create("kept@example.com", "k0");
    const dryRun = { idempotencyKey: "k0", dryRun: true };
    const other = await admin().call(users.create, person("other@example.com"), dryRun);
    expect(other).toMatchObject({ email: "other@example.com" });
    expect(await codeOf(admin().call(users.create, person("kept@example.com"), dryRun))).toBe("conflict");
    expect(await create("kept@example.com", "k0")).toEqual(first);
    expect(await countOf("other@example.com")).toBe(0);
  });

  it("a long text is compared in full: another one of the same length is another request", async () => {
    const { ids } = world();
    const set = (filler: string) => {
      const files = [upload("notes.txt", filler.repeat(300_000))];
      const input = { recipients: [ids.outsider], message: "Look", files };
      return codeOf(world().actors.member.call(conversations.create, input, { idempotencyKey: "long" }));
    };
    expect([await set("a"), await set("a"), await set("b")]).toEqual(["ok", "ok", "validation_failed"]);
  });

  it("an empty response is repeated, too", async () => {
    const mails = async () =>
      (await world().instance.database.reader.selectFrom("mails").select("id").execute()).length;
    const input = { users: [world().ids.colleague] };
    const before = await mails();
    expect(await admin().call(users.welcome, input, { idempotencyKey: "k2" })).toBeUndefined();
    expect(await admin().call(users.welcome, input, { idempotencyKey: "k2" })).toBeUndefined();
    expect(await mails()).toBe(before + 1);
  });

  it("the same key with another body, or for another operation, is refused", async () => {
    await create("second@example.com", "k3");
    expect(await wrongFields(create("third@example.com", "k3"))).toEqual(["Idempotency-Key"]);
    const other = admin().call(usertypes.create, { name: "By the same key" }, { idempotencyKey: "k3" });
    expect(await wrongFields(other)).toEqual(["Idempotency-Key"]);
    expect(await countOf("third@example.com")).toBe(0);
  });

  it("defaults and the order of fields do not change the request", async () => {
    const { units: places } = world();
    const first = await create("fourth@example.com", "k4");
    const input = {
      unit: places.harbour,
      email: "fourth@example.com",
      last_name: "Only",
      first_name: "Once",
      welcome: false,
    };
    expect(await admin().call(users.create, input, { idempotencyKey: "k4" })).toEqual(first);
  });

  it("secrets are not compared: a repeat with another one gets the first response", async () => {
    const ask = (secret: string) =>
      admin().call(users.create, { ...person("secret@example.com"), password: secret }, { idempotencyKey: "k15" });
    const first = await ask(password);
    expect(await ask("another good password")).toEqual(first);
  });

  it("the same key of another actor is another request", async () => {
    await create("fifth@example.com", "k5");
    const { id } = await create("sixth@example.com", "k5", world().actors.manager);
    expect(await create("sixth@example.com", "k5", world().actors.manager)).toMatchObject({ id });
  });

  it("an error is not stored: the repeat may succeed", async () => {
    const taken = await create("seventh@example.com", "k6");
    expect(await codeOf(create("seventh@example.com", "k7"))).toBe("conflict");
    await admin().call(users.delete, { id: taken.id });
    expect(await codeOf(create("seventh@example.com", "k7"))).toBe("ok");
  });

  it("a key can be used again after 24 hours", async () => {
    const { instance, ids } = world();
    const first = await create("eighth@example.com", "k8");
    await create("of-another-key@example.com", "k8-other");
    instance.wait(86_390);
    const by = await instance.as(ids.administrator);
    expect(await create("eighth@example.com", "k8", by)).toEqual(first);
    instance.wait(10);
    expect(await codeOf(create("eighth@example.com", "k8", by))).toBe("conflict");
    expect(await codeOf(create("ninth@example.com", "k8", by))).toBe("ok");
    const kept = await instance.database.reader.selectFrom("idempotency_keys").select("key").execute();
    // Thousands of expired ones are removed in portions, not by a request.
    expect(kept.map(({ key }) => key)).toEqual(expect.arrayContaining(["k8", "k8-other"]));
    world().actors.administrator = by;
  });

  it("equal keys of requests without a sign-in have nothing to do with each other", async () => {
    const { stranger } = world();
    const wrong = { username: "member@example.com", password: "not this one" };
    const attempts = [0, 1].map(() => stranger.call(auth.authenticate, wrong, { idempotencyKey: "k15" }));
    expect(await Promise.all(attempts.map(codeOf))).toEqual(["unauthenticated", "unauthenticated"]);
  });

  it("responses that contain secrets are not stored", async () => {
    const { instance, stranger } = world();
    await stranger.call(auth.passwordRequest, { email: "member@example.com" }, { idempotencyKey: "k13" });
    const tokens = [0, 1].map(() => admin().call(auth.renew, {}, { idempotencyKey: "k14" }));
    await Promise.allSettled(tokens);
    const kept = await instance.database.reader.selectFrom("idempotency_keys").select(["key", "response"]).execute();
    expect(kept.filter(({ key }) => key === "k13" || key === "k14")).toEqual([]);
    expect(JSON.stringify(kept)).not.toContain("jwt");
  });
});
