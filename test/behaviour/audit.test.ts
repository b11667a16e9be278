import { expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { audit } from "../../src/contract/audit.ts";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import type { ArgumentsOf } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, tally, wrongFields } from "../support/outcome.ts";
import { mailedToken } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeEverywhere("audit", (environment) => {
  const world = useWorld(environment);
  const administrator = () => world().actors.administrator;
  const list = (filter: ArgumentsOf<typeof audit.list> = {}) => administrator().call(audit.list, filter);
  /** Returns the entries written while `work` ran, oldest first, as `operation path fields`. */
  const during = async (work: () => Promise<unknown>) => {
    const before = (await list({ limit: 1 })).data[0]?.id ?? 0;
    await work();
    const { data } = await list({ limit: 500 });
    return data
      .filter(({ id }) => id > before)
      .map(({ operation, path, fields }) => `${operation} ${path} ${fields.join(",")}`.trim())
      .reverse();
  };

  it("audit.list has no entries about personal events, which do not exist for administrators", async () => {
    const { member } = world().actors;
    const event = { title: "Doctor", type: "user", start: 2e9, end: 2e9 + 60 } as const;
    const files = [{ name: "a.txt", type: "upload", data: "YQ==" }] as const;
    const found = await during(async () => {
      const { id } = await member.call(events.create, { ...event, fileCount: 3 });
      await member.call(events.update, { id, title: "Dentist", files: [...files] });
      await member.call(events.filesAdd, { id, files: [...files] });
      await member.call(events.filesAddTo, { id, files: [...files] });
      const [file] = (await member.call(events.get, { id })).files;
      await member.call(events.fileDelete, { id, file: file!.id });
      await member.call(events.delete, { id });
    });
    expect(found).toEqual([]);
    const shown = await during(() => administrator().call(events.create, { ...event, type: "chain" }));
    expect(shown).toEqual([expect.stringMatching(/^events\.create \/events\/\d+ title,type,start,end/)]);
  });

  it("audit.list has the change of an event to or from personal", async () => {
    const event = { title: "Party", type: "chain", start: 2e9, end: 2e9 + 60 } as const;
    const { id } = await administrator().call(events.create, event);
    const change = (fields: object) => during(() => administrator().call(events.update, { id, ...fields }));
    expect(await change({ type: "user", shares: [] })).toEqual([`events.update /events/${id} type,shares`]);
    expect(await change({ type: "user", title: "Alone" })).toEqual([]);
    expect(await change({ type: "unit" })).toEqual([`events.update /events/${id} type`]);
  });

  it("audit.list shows who changed what, and which fields were given", async () => {
    const { actors, ids, units: places } = world();
    let made = 0;
    const found = await during(async () => {
      made = (await actors.manager.call(units.create, { name: "Shed", parent: places.north })).id;
      await actors.manager.call(units.update, { id: made, description: "Old", name: "Barn" });
      await actors.manager.call(users.membershipAdd, { user: ids.colleague, unit: made });
      await actors.manager.call(users.membershipRemove, { user: ids.colleague, unit: made });
      await actors.manager.call(units.delete, { id: made });
    });
    expect(found).toEqual([
      `units.create /units/${made} name,parent`,
      `units.update /units/${made} name,description`,
      `users.membershipAdd /users/${ids.colleague}/units unit`,
      `users.membershipRemove /users/${ids.colleague}/units/${made}`,
      `units.delete /units/${made}`,
    ]);
    const [last] = (await list({ limit: 1 })).data;
    expect(last).toEqual({
      id: expect.any(Number),
      created_at: world().instance.now(),
      actor: { id: ids.manager, name: expect.stringContaining("Manager"), url: `/users/${ids.manager}` },
      operation: "units.delete",
      path: `/units/${made}`,
      fields: [],
      address: "127.0.0.1",
      outcome: "done",
    });
  });

  it("audit.list keeps the address of users who change themselves", async () => {
    const { actors, ids } = world();
    await actors.manager.call(users.update, { id: ids.manager, title: "Myself" });
    expect((await list({ path: `/users/${ids.manager}` })).data[0]).toMatchObject({ address: expect.any(String) });
  });

  it("audit.list names no field that was omitted", async () => {
    const { instance, ids } = world();
    // Over HTTP, omitted fields do not reach the service.
    for (const kind of ["local", "http"] as const) {
      const caller = instance.withToken(await instance.tokenOf(1), kind);
      const found = await during(async () => {
        await caller.call(users.update, { id: ids.colleague, title: `By ${kind}`, phone: undefined });
      });
      expect(found).toEqual([`users.update /users/${ids.colleague} title`]);
    }
  });

  it("audit.list shows sign-ins and failed sign-ins with their address, and no renewals of tokens", async () => {
    const { actors, ids, instance } = world();
    instance.wait(901);
    const address = "2001:db8::7";
    const signIn = (username: string, as: string, dryRun = false) =>
      codeOf(instance.from(address).call(auth.authenticate, { username, password: as }, { dryRun }));
    const since = instance.now();
    await signIn("member@example.com", "wrong");
    await signIn("my secret password", "x");
    await signIn("member@example.com", password);
    // The token of a dry run is valid.
    await signIn("member@example.com", password, true);
    await actors.member.call(auth.renew, {});
    const { data } = await list({ operation: "auth.authenticate", since });
    const member = expect.objectContaining({ id: ids.member });
    const entry = { operation: "auth.authenticate", path: "/authenticate", fields: [], address };
    expect(data).toMatchObject([
      { ...entry, actor: member, outcome: "done" },
      { ...entry, actor: member, outcome: "done" },
      { ...entry, actor: null, outcome: "failed" },
      { ...entry, actor: member, outcome: "failed" },
    ]);
    expect(JSON.stringify(data)).not.toContain("secret");
  });

  it("audit.list has no attempts that a rate limit refused, so that an attacker cannot fill the log", async () => {
    const { instance } = world();
    instance.wait(901);
    const since = instance.now();
    const guess = (n: number) =>
      instance.from("203.0.113.1").call(auth.authenticate, { username: "nobody@example.com", password: `guess ${n}` });
    expect(await tally(Array.from({ length: 20 }, (_, n) => guess(n)))).toEqual({
      unauthenticated: 10,
      too_many_requests: 10,
    });
    expect((await list({ operation: "auth.authenticate", since })).data).toHaveLength(10);
  });

  it("audit.list has no dry runs and no refused changes, and a repeated request once", async () => {
    const { actors, units: places } = world();
    const shed = { name: "Shed", parent: places.north };
    expect(
      await during(async () => {
        await codeOf(actors.member.call(units.create, shed));
        await codeOf(actors.manager.call(units.create, { ...shed, parent: 987654 }));
        await actors.manager.call(units.create, shed, { dryRun: true });
        await actors.manager.call(units.list, {});
      }),
    ).toEqual([]);
    const twice = await during(async () => {
      for (const _ of [1, 2]) await actors.manager.call(units.create, shed, { idempotencyKey: "shed" });
    });
    expect(twice).toHaveLength(1);
  });

  it("audit.list shows whose password was reset, and no secret", async () => {
    const { actors, ids, stranger, instance } = world();
    const secret = "a very secret horse";
    const found = await during(async () => {
      await actors.administrator.call(users.password, { id: ids.colleague, password: secret });
      await actors.administrator.call(webhooks.create, { name: "Hook", uri: "https://hook.example/token-in-path" });
      await stranger.call(auth.passwordRequest, { email: "member@example.com" });
      const token = await mailedToken(instance, "member@example.com");
      const reset = { email: "member@example.com", password: secret, password_confirm: secret };
      await stranger.call(auth.passwordReset, { ...reset, token });
      await stranger.call(auth.authenticate, { username: "member@example.com", password: secret });
    });
    expect(found).toEqual([
      `users.password /users/${ids.colleague}/password password`,
      expect.stringMatching(/^webhooks.create \/webhooks\/\d+ name,uri$/),
      "auth.passwordReset /password/reset",
      "auth.authenticate /authenticate",
    ]);
    expect((await list({ operation: "auth.passwordReset" })).data[0]?.actor?.id).toBe(ids.member);
    const rows = await instance.database.reader.selectFrom("audit_entries").selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/secret horse|token-in-path/);
    await actors.administrator.call(users.password, { id: ids.member, password });
  });

  it("audit.list has no entries about conversations and about marks of users", async () => {
    const { actors, ids, units: places } = world();
    const poll = { question: "Which?", choices: [{ title: "A" }, { title: "B" }], anonymous: true };
    const news = { content_type: "news", title: "News", visibility: { all_units: true }, poll } as const;
    const { id, poll: made } = await actors.administrator.call(posts.create, news);
    const times = { start: world().instance.now(), end: world().instance.now() + 60 };
    const event = { title: "Event", type: "chain" as const, units: [places.root], ...times };
    const { id: date } = await actors.administrator.call(events.create, event);
    const member = await world().instance.as(ids.colleague);
    expect(
      await during(async () => {
        await member.call(conversations.create, { recipients: [ids.outsider], message: "Hello" });
        for (const op of [posts.seen, posts.like, posts.bookmark, posts.unlike]) await member.call(op, { id });
        await member.call(posts.vote, { id, choices: [made!.choices[0]!.id] });
        await member.call(events.seen, { id: date });
        await member.call(events.accept, { id: date });
      }),
    ).toEqual([]);
    const unrecorded = (await allOperations()).filter((op) => op.method !== "GET" && op.private);
    expect([...new Set(unrecorded.map(({ name }) => name.split(".")[0]))].sort()).toEqual([
      "auth",
      "conversations",
      "counters",
      "events",
      "posts",
    ]);
    const talk = (await allOperations()).filter(({ name, method }) => /^conversations/.test(name) && method !== "GET");
    expect(talk.length).toBeGreaterThan(10);
    expect(talk.filter((op) => !op.private)).toEqual([]);
  });

  it("audit.list filters by the user or unit that was changed", async () => {
    const { actors, ids, units: places } = world();
    await actors.administrator.call(users.update, { id: ids.manager, title: "Chief" });
    await actors.manager.call(units.update, { id: places.yard, name: "Courtyard" });
    const operations = async (filter: ArgumentsOf<typeof audit.list>) =>
      (await list({ limit: 1, ...filter })).data.map(({ operation, path }) => `${operation} ${path}`);
    expect(await operations({ user: ids.manager })).toEqual([`users.update /users/${ids.manager}`]);
    expect(await operations({ unit: places.yard })).toEqual([`units.update /units/${places.yard}`]);
    expect(await wrongFields(list({ user: 1, unit: 1, actor: 987654 }))).toEqual(["actor", "unit"]);
    expect(await wrongFields(list({ user: 987654 }))).toEqual(["user"]);
    expect(await wrongFields(list({ unit: 987654, operation: "units.create" }))).toEqual(["unit"]);
    const { id: gone } = await actors.administrator.call(units.create, { name: "Gone", parent: places.yard });
    await actors.administrator.call(units.delete, { id: gone });
    expect(await operations({ unit: gone })).toEqual([`units.delete /units/${gone}`]);
    expect(await operations({ unit: gone, operation: "units.update" })).toEqual([]);
    expect(await wrongFields(list({ path: "/units", user: 1 }))).toEqual(["user"]);
  });

  it("audit.list filters, and continues by cursor", async () => {
    const { actors, ids, units: places, instance } = world();
    instance.wait(100);
    const since = instance.now();
    const made: number[] = [];
    for (const name of ["A", "B", "C"]) {
      made.push((await actors.manager.call(units.create, { name, parent: places.yard })).id);
      instance.wait(10);
    }
    await actors.administrator.call(units.update, { id: made[1]!, name: "Other" });
    const paths = async (filter: ArgumentsOf<typeof audit.list>) =>
      (await list({ since, ...filter })).data.map(({ path }) => Number(path.split("/")[2]));
    const [a, b, c] = made;
    expect(await paths({})).toEqual([b, c, b, a]);
    expect(await paths({ actor: ids.manager })).toEqual([c, b, a]);
    expect(await paths({ operation: "units.update" })).toEqual([b]);
    expect(await paths({ path: `/units/${b}` })).toEqual([b, b]);
    expect(await paths({ path: "/units" })).toEqual([b, c, b, a]);
    expect(await paths({ path: "/unit" })).toEqual([]);
    expect(await paths({ since: since + 10 })).toEqual([b, c, b]);
    expect(await paths({ until: since + 10 })).toEqual([b, a]);
    expect(await paths({ operation: "units.*" })).toEqual([b, c, b, a]);
    expect(await paths({ operation: "users.*" })).toEqual([]);
    expect(await wrongFields(paths({ actor: 987654 }))).toEqual(["actor"]);
    for (const operation of ["units.updat", "unit.*", "units", "*", "units.*.*"])
      expect(await wrongFields(paths({ actor: 987654, operation }))).toEqual(["actor", "operation"]);
    for (const filter of [{ since }, { since, operation: "units.*" }]) {
      const [one, two] = [await list({ ...filter, limit: 1 }), await list({ ...filter, limit: 4 })];
      const others = await list({ ...filter, limit: 3, cursor: one.meta.next_cursor! });
      expect([...one.data, ...others.data]).toEqual(two.data);
    }
    const first = await list({ since, limit: 3 });
    const rest = await list({ since, limit: 3, cursor: first.meta.next_cursor! });
    expect(rest.data.map(({ path }) => path)).toEqual([`/units/${a}`]);
    const back = await list({ since, limit: 3, cursor: rest.meta.prev_cursor! });
    expect(back.data).toEqual(first.data);
    const period = { since, until: since + 20, limit: 2 };
    const newest = await list(period);
    expect(newest.data.map(({ path }) => path)).toEqual([`/units/${c}`, `/units/${b}`]);
    const oldest = await list({ ...period, cursor: newest.meta.next_cursor! });
    expect(oldest.data.map(({ path }) => path)).toEqual([`/units/${a}`]);
    expect(oldest.meta.next_cursor).toBeNull();
    const again = await list({ ...period, cursor: oldest.meta.prev_cursor! });
    expect(again).toEqual({ data: newest.data, meta: { next_cursor: newest.meta.next_cursor, prev_cursor: null } });
    expect(await wrongFields(list({ limit: 0, since: "x" as never }))).toEqual(["limit", "since"]);
  });

  it("of a path has what is below it, and no path that only begins with the same text", async () => {
    const { actors, types, units: places, instance } = world();
    instance.wait(100);
    const since = instance.now();
    const { id } = await world().addUser({ unit: places.north });
    const { administrator } = actors;
    await administrator.call(users.membershipSet, { user: id, from: places.north, userTypes: [types.manager] });
    await administrator.call(users.deactivate, { id });
    const found = async (path: string) => (await list({ since, path })).data.map(({ operation }) => operation);
    expect(await found(`/users/${id}`)).toEqual(expect.arrayContaining(["users.deactivate", "users.membershipSet"]));
    expect(await found(`/users/${id}/units`)).toEqual(["users.membershipSet"]);
    expect(await found(`/users/${id}/units/`)).toEqual(["users.membershipSet"]);
    expect(await found(`/users/${String(id).slice(0, -1)}`)).toEqual([]);
    expect(await found(`/users/${id}/unit`)).toEqual([]);
    const [newest, ...others] = await found("/users");
    const page = await list({ since, path: "/users", limit: 1 });
    const rest = await list({ since, path: "/users", limit: 50, cursor: page.meta.next_cursor! });
    expect(await found("/users/")).toEqual([newest, ...others]);
    expect(await found("/")).toEqual((await list({ since })).data.map(({ operation }) => operation));
    expect([newest, others]).toEqual([page.data[0]?.operation, rest.data.map(({ operation }) => operation)]);
  });

  it("of a user or a unit has the imports that changed it, and the deactivation of missing users", async () => {
    const { actors, units: places } = world();
    const person = (name: string, fields = {}) => ({
      ...{
        first_name: name,
        last_name: "Imported",
        email: `${name}@import.example`,
        unit: "harbour",
        provider: "audited",
      },
      ...fields,
    });
    const importing = (...rows: object[]) => actors.manager.call(users.import, { rows: rows as never });
    const [created] = (await importing(person("a"), person("b"))).results;
    const path = `/users/${created?.id}`;
    const found = async (path: string) =>
      (await list({ path })).data.map(({ operation, actor }) => [operation, actor?.id]);
    const byManager = (operation: string) => [operation, world().ids.manager];
    await importing(person("a"), person("b", { title: "Crane driver" }));
    expect(await found(path)).toEqual([]);
    await importing(person("a", { title: "Crane driver" }), person("c", { unit: "nowhere" }));
    expect(await found(path)).toEqual([byManager("users.import")]);
    const missing = { provider: "audited", present: [], max_removals: "100%" };
    await actors.manager.call(users.deactivateMissing, missing, { dryRun: true });
    await actors.manager.call(users.deactivateMissing, missing);
    expect((await found(path))[0]).toEqual(byManager("users.deactivateMissing"));
    expect(await found(path)).toHaveLength(2);
    const unit = { reference: "import-1", name: "Imported", parent: "north" };
    const { results } = await actors.manager.call(units.import, { rows: [unit] });
    await actors.manager.call(units.import, { rows: [{ ...unit, name: "Renamed" }] });
    expect(await found(`/units/${results[0]?.id}`)).toEqual([byManager("units.import")]);
    expect(await found(`/units/${places.north}`)).not.toContainEqual(byManager("units.import"));
  });

  it("users.delete keeps the entries of the user in audit.list, without name and address", async () => {
    const { actors, types, units: places } = world();
    const { id } = await world().addUser({ unit: places.north, userTypes: [types.manager] });
    const manager = await world().instance.as(id);
    await manager.call(units.create, { name: "Left behind", parent: places.north });
    await actors.administrator.call(users.delete, { id });
    const { data } = await list({ actor: id });
    expect(data).toMatchObject([{ operation: "units.create", address: null, actor: { id, name: "Deleted user" } }]);
  });
});
