import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { names } from "../../src/contract/names.ts";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { useWorld } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { walkPages } from "../support/walk-pages.ts";

describeEverywhere("users, reading", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const list = async (input: ArgumentsOf<typeof users.list>, by: Caller = admin()) =>
    (await by.call(users.list, { limit: 500, ...input })).data.map((user) => user.id);
  const search = async (q: string, by: Caller = admin()) =>
    (await by.call(users.search, { q, limit: 500 })).data.map((user) => user.first_name);

  beforeAll(async () => {
    const { addUser, types, units } = world();
    await addUser({
      first_name: "Søren",
      last_name: "Ångström",
      title: "Crane driver",
      email: "s.angstrom@docks.example",
    });
    await addUser({
      first_name: "José",
      last_name: "Sorensen",
      title: "Driver of Lorries",
      email: "jose@docks.example",
    });
    await addUser({ first_name: "ΝΊΚΟΣ", last_name: "Straße", title: "東京 office" });
    await addUser({ first_name: "민준", last_name: "김" });
    await addUser({ first_name: "太郎", last_name: "山田" });
    const both = await addUser({
      first_name: "Both",
      last_name: "Sides",
      unit: units.south,
      userTypes: [types.editor],
    });
    await admin().call(users.membershipAdd, { user: both.id, unit: units.yard, userTypes: [types.editor] });
  });

  it("users.get shows e-mail address, phone and birthday to the user and those with the ability user over the user", async () => {
    const { actors, ids, instance } = world();
    const shown = { email: "colleague@example.com", phone: "456", birthday: "1980-07-01" };
    const hidden = { email: null, phone: null, birthday: null };
    const see = async (by: Caller) => by.call(users.get, { id: ids.colleague });
    const full = await see(actors.administrator);
    expect(full).toMatchObject({ ...shown, permissions: { edit: true, delete: true } });
    expect(await see(actors.manager)).toEqual(full);
    const rights = { permissions: { edit: false, delete: false } };
    expect(await see(actors.member)).toEqual({ ...full, ...hidden, ...rights });
    expect(await see(actors.outsider)).toEqual({ ...full, ...hidden, ...rights });
    const devices = [expect.objectContaining({ content_type: "session", current: true })];
    expect(await see(await instance.as(ids.colleague))).toEqual({ ...full, ...rights, devices });
    expect(await actors.manager.call(users.get, { id: ids.outsider })).toMatchObject({ ...hidden, ...rights });
    expect(await actors.manager.call(users.get, { id: ids.boss }), "an administrator in the branch").toMatchObject({
      ...rights,
      email: "boss@example.com",
    });
  });

  it("every operation hides the same fields", async () => {
    const { actors, ids } = world();
    const expected = await actors.outsider.call(users.get, { id: ids.colleague });
    expect(await actors.outsider.call(users.reference, { reference: "colleague" })).toEqual(expected);
    expect((await actors.outsider.call(users.collection, { ids: [ids.colleague] })).users).toEqual([expected]);
    expect((await actors.outsider.call(users.search, { q: "Colleague" })).data).toEqual([expected]);
    expect((await actors.outsider.call(users.list, { limit: 500 })).data).toContainEqual(expected);
  });

  it("users.current returns the actor", async () => {
    const { actors, ids } = world();
    expect(await actors.member.call(users.current, {})).toMatchObject({ id: ids.member, email: "member@example.com" });
  });

  it("users.reference compares exactly", async () => {
    const { ids } = world();
    expect((await admin().call(users.reference, { reference: "colleague" })).id).toBe(ids.colleague);
    expect(await codeOf(admin().call(users.reference, { reference: "Colleague" }))).toBe("not_found");
    expect(await codeOf(admin().call(users.reference, { reference: "a/b c?d#e%2F" }))).toBe("not_found");
    const { id } = await world().addUser({ reference: "a/b c?d#e%2F" });
    expect((await admin().call(users.reference, { reference: "a/b c?d#e%2F" })).id).toBe(id);
  });

  it("users.collection keeps the order, returns each once, and omits unknown IDs", async () => {
    const { ids } = world();
    const asked = [ids.outsider, 987654, 1, ids.deactivated, ids.member, 1];
    const { users: found } = await admin().call(users.collection, { ids: asked });
    expect(found.map((user) => user.id)).toEqual([ids.outsider, 1, ids.deactivated, ids.member]);
    expect(await admin().call(users.collection, { ids: [987654] })).toEqual({ users: [] });
    expect(await wrongFields(admin().call(users.collection, { ids: [1, 0, -1] }))).toEqual(["ids"]);
    const many = (count: number) =>
      admin().call(users.collection, { ids: Array.from({ length: count }, (_, n) => n + 1) });
    expect((await many(500)).users.length).toBeGreaterThan(5);
    expect(await wrongFields(many(501))).toEqual(["ids"]);
  });

  it("users.search matches beginnings of words, and ignores case and accents", async () => {
    expect(await search("soren")).toEqual(["Søren", "José"]);
    expect(await search("SØR")).toEqual(["Søren", "José"]);
    expect(await search("angst")).toEqual(["Søren"]);
    expect(await search("A\u030angstro\u0308m")).toEqual(["Søren"]);
    expect(await search("ngstrom")).toEqual([]);
    expect(await search("νίκος")).toEqual(["ΝΊΚΟΣ"]);
    expect(await search("νικοσ")).toEqual(["ΝΊΚΟΣ"]);
    expect(await search("STRASSE")).toEqual(["ΝΊΚΟΣ"]);
    expect(await search("東")).toEqual(["ΝΊΚΟΣ"]);
  });

  it("users.search finds names that are written without a space, in either order", async () => {
    for (const q of ["山田太郎", "山田太", "太郎山田", "山田", "太郎", "山田 太郎"])
      expect(await search(q), q).toEqual(["太郎"]);
    expect(await search("김민준")).toEqual(["민준"]);
    const { data } = await admin().call(names.find, { texts: ["山田太郎"], kinds: ["users"] });
    expect(data).toMatchObject([{ name: "太郎 山田", match: "similar" }]);
  });

  it("users.search requires every word, in any order, in name or title", async () => {
    expect(await search("driver soren")).toEqual(["Søren", "José"]);
    expect(await search("soren crane")).toEqual(["Søren"]);
    expect(await search("  crane, ANGST! ")).toEqual(["Søren"]);
    expect(await search("soren crane lorries")).toEqual([]);
    expect(await search("sor sor s so")).toEqual(["Søren", "José"]);
    expect(await search("!?*%_'\"")).toEqual([]);
    expect(await search("%")).toEqual([]);
    expect(await codeOf(admin().call(users.search, { q: " " }))).toBe("validation_failed");
    expect(await codeOf(admin().call(users.search, { q: "x".repeat(201) }))).toBe("validation_failed");
  });

  it("users.search: only administrators find words of addresses, also beside other words", async () => {
    const { actors, addUser } = world();
    expect(await search("docks")).toEqual(["Søren", "José"]);
    expect(await search("docks lorries")).toEqual(["José"]);
    for (const by of [actors.manager, actors.member, actors.outsider]) {
      expect(await search("docks", by)).toEqual([]);
      expect(await search("docks lorries", by)).toEqual([]);
      expect(await search("lorries docks", by)).toEqual([]);
      expect(await search("lorries jose", by)).toEqual(["José"]);
    }
    await addUser({ first_name: "Docks" });
    expect(await search("lorries docks", actors.member), "a word of another user's name").toEqual([]);
  });

  it("users.search returns a user once when several words match", async () => {
    await world().addUser({ first_name: "Ann", last_name: "Annabella", title: "Annotator" });
    expect(await search("ann")).toEqual(["Ann"]);
    expect(await search("an ann")).toEqual(["Ann"]);
    expect(await search("ada"), "the first administrator").toEqual(["Ada"]);
  });

  it("users.search: the limit counts users, not their words, over names and titles", async () => {
    const { addUser } = world();
    await addUser({ first_name: "Quin Quinn", last_name: "Quinna" });
    await addUser({ first_name: "Other", last_name: "Quinnz", title: "" });
    for (const first_name of ["Third", "Fourth"]) await addUser({ first_name, last_name: "X", title: "Quint" });
    const few = async (limit: number) =>
      (await admin().call(users.search, { q: "quin", limit })).data.map((user) => user.first_name);
    expect(await few(1)).toEqual(["Quin Quinn"]);
    expect(await few(2)).toEqual(["Quin Quinn", "Other"]);
    expect(await few(3)).toEqual(["Quin Quinn", "Other", "Third"]);
    expect(await few(4)).toEqual(["Quin Quinn", "Other", "Third", "Fourth"]);
  });

  it("users.search returns matches of names before those of titles and e-mail addresses", async () => {
    const { addUser } = world();
    await addUser({ first_name: "Last", email: "bosun1@ships.example" });
    await addUser({ first_name: "Middle", title: "Bosun" });
    await addUser({ first_name: "Bosuns", email: "first@ships.example" });
    expect(await search("bosun")).toEqual(["Bosuns", "Middle", "Last"]);
    expect(await search("bosun", world().actors.member)).toEqual(["Bosuns", "Middle"]);
  });

  it("users.search finds current words only", async () => {
    const { id } = await world().addUser({ first_name: "Formerly", title: "Known", email: "formerly@old.example" });
    await admin().call(users.update, { id, first_name: "Lately", title: "", email: "lately@new.example" });
    expect(await search("formerly")).toEqual([]);
    expect(await search("known")).toEqual([]);
    expect(await search("old")).toEqual([]);
    expect(await search("lately")).toEqual(["Lately"]);
  });

  it("users.search returns at most the limit", async () => {
    expect((await admin().call(users.search, { q: "family", limit: 2 })).data).toHaveLength(2);
    expect(await wrongFields(admin().call(users.search, { q: "x", limit: 501 }))).toEqual(["limit"]);
  });

  it("users.list returns active users by ID", async () => {
    const { ids } = world();
    const all = await list({});
    expect(all).toEqual([...all].sort((a, b) => a - b));
    expect(all).not.toContain(ids.deactivated);
    expect(await list({ inactive: true })).toContain(ids.deactivated);
  });

  it("users.list filters by unit, with below by its branch, each user once", async () => {
    const { units, ids } = world();
    expect(await list({ unit: units.north })).toEqual([ids.boss, ids.manager]);
    const branch = await list({ unit: units.north, below: true });
    expect(branch).toEqual(expect.arrayContaining([ids.boss, ids.manager, ids.member, ids.colleague]));
    expect(branch).not.toContain(ids.outsider);
    expect(new Set(branch).size).toBe(branch.length);
    expect(await list({ unit: units.root, below: true })).toEqual(await list({}));
    expect(await list({ unit: units.harbour, inactive: true })).toContain(ids.deactivated);
    expect(await wrongFields(list({ unit: 987654 }))).toEqual(["unit"]);
    expect(await wrongFields(list({ below: true })), "below what").toEqual(["below"]);
    // `below` is not an issue, because a unit is given, even if a wrong one.
    expect(await wrongFields(list({ below: true, unit: 0, limit: 0 }))).toEqual(["limit", "unit"]);
  });

  it("users.list returns thousands of members of a unit, a branch or a user type, each once", async () => {
    const { addUnit, instance, actors } = world();
    const { id: branch } = await addUnit({});
    const { id: below } = await addUnit({ parent: branch });
    const type = await actors.administrator.call(usertypes.create, { name: "Held by many" });
    const at = { created_at: 0, updated_at: 0 };
    // The IDs are so far apart that they are checked by several statements.
    const idOf = (n: number) => 1_000_000 + n * 5;
    const rows = Array.from({ length: 10_006 }, (_, n) => {
      return { id: idOf(n), first_name: "Many", last_name: `Member ${n}`, ...at };
    });
    const ids = await instance.database.write(async (tx) => {
      const made = (await insertRows(tx, "users", rows, ["id"])).map(({ id }) => id).sort((a, b) => a - b);
      const members = made.map((user_id, n) => ({ user_id, unit_id: n % 2 ? branch : below }));
      const memberships = [...members, { user_id: made[0]!, unit_id: branch }];
      await insertRows(tx, "memberships", memberships);
      const ofHolders = tx.selectFrom("memberships").where("user_id", ">=", made.at(-5003)!);
      const grants = ofHolders.select((eb) => ["id", eb.lit(type.id).as("user_type_id")]);
      await tx
        .insertInto("membership_user_types")
        .columns(["membership_id", "user_type_id"])
        .expression(grants)
        .execute();
      return made;
    });
    // PostgreSQL does it by itself, a while later; until then lists take a second.
    if (isPostgres(instance.database.reader)) await sql`analyze`.execute(instance.database.reader);
    expect(await list({ unit: branch, below: true })).toEqual(ids.slice(0, 500));
    const direct = ids.filter((_, n) => n % 2 || n === 0);
    expect(await list({ unit: branch })).toEqual(direct.slice(0, 500));
    const holders = ids.slice(-5003);
    expect(await list({ user_type: type.id })).toEqual(holders.slice(0, 500));
    const page = (cursor?: string) =>
      actors.administrator.call(users.list, { user_type: type.id, limit: 500, ...(cursor && { cursor }) });
    expect(await walkPages(page)).toEqual({ forth: holders, back: holders });
    expect(await list({ user_type: type.id, unit: branch })).toEqual(
      direct.filter((id) => holders.includes(id)).slice(0, 500),
    );
    await instance.database.write(async (tx) => {
      await tx
        .deleteFrom("memberships")
        .where("user_id", "in", (eb) => eb.selectFrom("users").select("id").where("first_name", "=", "Many"))
        .execute();
      await tx.deleteFrom("users").where("first_name", "=", "Many").execute();
    });
    await actors.administrator.call(usertypes.delete, { id: type.id });
  });

  it("users.list filters by e-mail address for those who may see it", async () => {
    const { actors, ids } = world();
    expect(await list({ email: "MEMBER@example.com" })).toEqual([ids.member]);
    expect(await list({ email: "member@example.com" }, actors.manager)).toEqual([ids.member]);
    expect(await list({ email: "member@example.com" }, actors.member), "oneself").toEqual([ids.member]);
    expect(await list({ email: "member@example.com" }, actors.outsider)).toEqual([]);
    expect(await list({ email: "outsider@example.com" }, actors.manager), "beyond the branch").toEqual([]);
    expect(await list({ email: "nobody@example.com" })).toEqual([]);
    expect(await list({ email: "deactivated@example.com" })).toEqual([]);
    expect(await list({ email: "deactivated@example.com", inactive: true })).toEqual([ids.deactivated]);
    expect(await wrongFields(list({ email: "member@" }))).toEqual(["email"]);
  });

  it("users.list filters by user type and administrators", async () => {
    const { types, ids } = world();
    expect(await list({ user_type: types.manager })).toEqual([ids.manager]);
    expect(await list({ user_type: types.editor })).toHaveLength(1);
    expect(await list({ admin: true })).toEqual([1, ids.boss]);
    expect(await list({ admin: false })).not.toContain(1);
    expect(await list({ admin: true, unit: world().units.north })).toEqual([ids.boss]);
  });

  it("users.list pages in both directions", async () => {
    const all = await list({});
    const walk = async (direction: "next_cursor" | "prev_cursor", cursor?: string) => {
      const pages: number[][] = [];
      let at: string | undefined = cursor;
      do {
        const { data, meta } = await admin().call(users.list, { limit: 4, cursor: at });
        pages.push(data.map((user) => user.id));
        at = meta[direction] ?? undefined;
        if (at === undefined) return { pages, last: meta };
      } while (pages.length < 100);
      throw new Error("does not end");
    };
    const forward = await walk("next_cursor");
    expect(forward.pages.flat()).toEqual(all);
    expect(forward.last.prev_cursor).not.toBeNull();
    const back = await walk("prev_cursor", forward.last.prev_cursor!);
    expect([...back.pages.reverse().flat(), ...forward.pages.at(-1)!]).toEqual(all);
    const first = await admin().call(users.list, { limit: 4 });
    expect(first.meta.prev_cursor).toBeNull();
  });

  it("users.list refuses forged cursors and those of other lists", async () => {
    const { meta } = await admin().call(users.list, { limit: 1 });
    const cursor = meta.next_cursor!;
    const tampered = `${cursor.slice(0, -2)}${cursor.endsWith("A") ? "B" : "A"}`;
    for (const bad of ["", "x", tampered, Buffer.from("[1,0]").toString("base64url"), "A".repeat(1000), "\n"]) {
      expect(await wrongFields(admin().call(users.list, { limit: 1, cursor: bad })), JSON.stringify(bad)).toEqual([
        "cursor",
      ]);
    }
    expect(await wrongFields(admin().call(users.list, { inactive: true, cursor }))).toEqual(["cursor"]);
    expect(await codeOf(admin().call(users.list, { limit: 7, cursor })), "another limit is no other list").toBe("ok");
  });

  it("users.list filters by ability, also in a unit, with administrators", async () => {
    const { types, ids, units } = world();
    const editors = await list({ user_type: types.editor });
    const sorted = (...some: number[]) => some.sort((a, b) => a - b);
    expect(await list({ ability: "user" })).toEqual(sorted(1, ids.boss, ids.manager));
    expect(await list({ ability: "news" })).toEqual(sorted(1, ids.boss, ...editors));
    expect(await list({ ability: "integrations" })).toEqual(sorted(1, ids.boss));
    expect(await list({ ability: "user", ability_unit: units.yard })).toEqual(sorted(1, ids.boss, ids.manager));
    expect(await list({ ability: "user", ability_unit: units.south })).toEqual(sorted(1, ids.boss));
    expect(await list({ ability_unit: units.yard, admin: false })).toContain(ids.manager);
    expect(await list({ ability_unit: units.root, admin: false })).not.toContain(ids.manager);
    expect(await wrongFields(list({ ability_unit: 987654 }))).toEqual(["ability_unit"]);
  });

  it("users.list finds local users without a password, for administrators", async () => {
    const { actors, ids, units } = world();
    const none = await list({ has_password: false });
    const some = await list({ has_password: true });
    expect([...none, ...some].sort((a, b) => a - b)).toEqual(await list({}));
    expect([none.includes(ids.manager), some.includes(ids.member)]).toEqual([true, true]);
    const { id } = await actors.administrator.call(users.create, {
      ...{ first_name: "Nightly", last_name: "Import", service: true, unit: units.root },
    });
    expect(await list({ has_password: false })).toEqual(none);
    expect(await list({ provider: "service" })).toEqual([id]);
    expect(await codeOf(list({ has_password: false }, actors.manager))).toBe("forbidden");
  });

  it("users.list names all wrong filters", async () => {
    const wrong = { unit: -1, limit: 501, user_type: 0, units: 3, admin: "maybe" };
    const { code, fields } = await refusal(admin().call(users.list, wrong as never));
    expect(code).toBe("validation_failed");
    expect(Object.keys(fields ?? {}).sort()).toEqual(["admin", "limit", "unit", "units", "user_type"]);
  });
});
