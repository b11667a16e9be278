import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import { names } from "../../src/contract/names.ts";
import { posts } from "../../src/contract/posts.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { titleLookupKey, titleWordsKey } from "../../src/core/directory/text-keys.ts";
import { useWorld } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";

describeEverywhere("names", (environment) => {
  const world = useWorld(environment);
  type Actor = keyof ReturnType<typeof world>["actors"];
  const find = async (actor: Actor, text: string, kind: string) =>
    (await world().actors[actor].call(names.find, { texts: [text], kinds: [kind as "users"] })).data;
  const found = async (actor: Actor, text: string, kind: string) =>
    (await find(actor, text, kind)).map(({ id, match }) => [id, match]);

  it("names.find finds users by me, reference, e-mail address and full name, and otherwise by similar names", async () => {
    const { ids, addUser } = world();
    const jose = await addUser({
      first_name: "José",
      last_name: "Åkesson Núñez",
      reference: "E-7",
      email: "jose@x.example",
    });
    const twin = await addUser({ first_name: "JOSE", last_name: "AKESSON Nunez" });
    expect(await found("member", "me", "users")).toEqual([[ids.member, "name"]]);
    expect(await found("administrator", "E-7", "users")).toEqual([[jose.id, "reference"]]);
    expect(await found("administrator", "ref:E-7", "users")).toEqual([[jose.id, "reference"]]);
    expect(await found("administrator", "ref:José Åkesson Núñez", "users")).toEqual([]);
    expect(await found("administrator", "JOSE@x.example", "users")).toEqual([[jose.id, "email"]]);
    for (const name of ["jose akesson nunez", "José  Åkesson Núñez"])
      expect(await found("outsider", name, "users")).toEqual([
        [jose.id, "name"],
        [twin.id, "name"],
      ]);
    expect((await found("outsider", "Ake", "users")).map(([, match]) => match)).toEqual(["similar", "similar"]);
    expect(await found("outsider", "akesson nunez jose", "users")).not.toContainEqual([jose.id, "name"]);
    expect(await found("outsider", "\u0301", "users")).toEqual([]);
  });

  it("names.find lets no reference of a user take over the name, the address or the me of another one", async () => {
    const { ids, addUser } = world();
    const ada = await addUser({ first_name: "Ada", last_name: "Lovelace", email: "lovelace@x.example" });
    const named = await addUser({ reference: "Ada Lovelace" });
    const addressed = await addUser({ reference: "lovelace@x.example" });
    const self = await addUser({ reference: "me" });
    expect(await found("administrator", "Ada Lovelace", "users")).toEqual([
      [named.id, "reference"],
      [ada.id, "name"],
    ]);
    expect(await found("administrator", "lovelace@x.example", "users")).toEqual([[ada.id, "email"]]);
    expect(await found("outsider", "lovelace@x.example", "users")).toEqual([]);
    expect(await found("administrator", "ref:lovelace@x.example", "users")).toEqual([[addressed.id, "reference"]]);
    expect(await found("member", "me", "users")).toEqual([[ids.member, "name"]]);
    expect(await found("member", "ref:me", "users")).toEqual([[self.id, "reference"]]);
  });

  it("names.find finds users by an e-mail address only if the actor can see it", async () => {
    const { ids } = world();
    expect(await found("outsider", "member@example.com", "users")).toEqual([]);
    expect(await found("member", "member@example.com", "users")).toEqual([[ids.member, "email"]]);
    expect(await found("manager", "member@example.com", "users")).toEqual([[ids.member, "email"]]);
  });

  it("names.find finds deactivated users by their name, and deleted ones never", async () => {
    const { addUser, actors } = world();
    const { id } = await addUser({ first_name: "Gone", last_name: "Soonest", reference: "gone-1" });
    await actors.administrator.call(users.deactivate, { id });
    expect(await found("administrator", "Gone Soonest", "users")).toEqual([[id, "name"]]);
    expect(await found("administrator", "Soones", "users")).toEqual([]);
    await actors.administrator.call(users.delete, { id });
    for (const text of ["Gone Soonest", "gone-1", "Deleted user"])
      expect(await found("administrator", text, "users")).toEqual([]);
  });

  it("names.find finds units and user types by reference and name", async () => {
    const { addUnit, actors, units } = world();
    const first = await addUnit({ name: "Blå Kantine", reference: "CAN-1" });
    const second = await addUnit({ name: "CAN-1" });
    expect(await found("outsider", "CAN-1", "units")).toEqual([
      [first.id, "reference"],
      [second.id, "name"],
    ]);
    expect(await found("outsider", "ref:CAN-1", "units")).toEqual([[first.id, "reference"]]);
    expect(await found("outsider", "bla kantine", "units")).toEqual([[first.id, "name"]]);
    expect(await found("outsider", "ref:can-1", "units")).toEqual([]);
    expect(await found("outsider", "bla", "units")).toEqual([[first.id, "similar"]]);
    expect(await found("outsider", "north", "units")).toContainEqual([units.north, "reference"]);
    const type = await actors.administrator.call(usertypes.create, { name: "Kok & tjener", reference: "kok" });
    expect(await found("outsider", "KOK & TJENER", "usertypes")).toEqual([[type.id, "name"]]);
    expect(await found("outsider", "kok", "usertypes")).toEqual([[type.id, "reference"]]);
  });

  it("names.find finds private groups for their members only, and webhooks for administrators only", async () => {
    const { actors } = world();
    const { id } = await actors.administrator.call(groups.create, { name: "Secret sailing", privacy: "private" });
    await actors.administrator.call(groups.memberAdd, { id, user: world().ids.member });
    expect(await found("member", "secret sailing", "groups")).toEqual([[id, "name"]]);
    expect(await found("outsider", "secret sailing", "groups")).toEqual([]);
    expect(await found("outsider", "secret", "groups")).toEqual([]);
    const { data: hook } = await actors.administrator.call(webhooks.create, {
      name: "Payroll",
      uri: "https://x.example/",
    });
    expect(await find("administrator", "payroll", "webhooks")).toMatchObject([
      { id: hook.id, match: "name", detail: "https://x.example/" },
    ]);
    for (const actor of ["manager", "member"] as const) expect(await found(actor, "payroll", "webhooks")).toEqual([]);
  });

  it("names.find finds API tokens of others for administrators only", async () => {
    const { actors, ids } = world();
    const own = { name: "Deploy", scopes: ["read"] };
    const { id } = await actors.member.call(tokens.create, own);
    expect(await found("member", "deploy", "tokens")).toEqual([[id, "name"]]);
    expect(await found("member", "Dep", "tokens")).toEqual([[id, "similar"]]);
    const { name: detail } = await actors.member.call(users.get, { id: ids.member });
    expect(await find("administrator", "deploy", "tokens")).toMatchObject([{ id, match: "name", detail }]);
    for (const actor of ["manager", "outsider"] as const) expect(await found(actor, "deploy", "tokens")).toEqual([]);
  });

  it("names.find finds posts by their titles, for those who may read them, until they are renamed or deleted", async () => {
    const { actors, units } = world();
    const { administrator } = actors;
    const post = { content_type: "news" as const, unit: units.north };
    const { id } = await administrator.call(posts.create, { ...post, title: "Ny kantine på Havnen" });
    const draft = await administrator.call(posts.create, {
      ...post,
      title: "Kantine: kladde",
      publish: { status: false },
    });
    expect(await found("member", "ny KANTINE pa havnen", "posts")).toEqual([[id, "name"]]);
    expect(await found("member", "ny kant", "posts")).toEqual([[id, "similar"]]);
    expect(await found("administrator", "Kantine: kladde", "posts")).toEqual([[draft.id, "name"]]);
    for (const text of ["Kantine: kladde", "kantine:", "ref:ny kantine på havnen", "\u0301"])
      expect(await found("member", text, "posts")).toEqual([]);
    expect(await found("outsider", "ny kantine på havnen", "posts")).toEqual([]);
    await administrator.call(posts.update, { id, title: "Ændret" });
    expect(await found("member", "ny kantine på havnen", "posts")).toEqual([]);
    expect(await found("member", "aendret", "posts")).toEqual([[id, "name"]]);
    await administrator.call(posts.delete, { id });
    expect(await found("administrator", "aendret", "posts")).toEqual([]);
  });

  it("names.find finds the newest of posts with the same title, with the date of publication", async () => {
    const { administrator } = world().actors;
    const ids: number[] = [];
    for (let number = 0; number < 8; number++) {
      const post = { content_type: "news" as const, title: "Weekly news", unit: world().units.root };
      ids.push((await administrator.call(posts.create, post)).id);
    }
    const matches = await find("member", "weekly news", "posts");
    expect(matches.map(({ id }) => id)).toEqual(ids.reverse().slice(0, 6));
    const { publish } = await administrator.call(posts.get, { id: ids[0]! });
    expect(matches[0]!.detail).toBe(new Date(publish.published_at! * 1000).toISOString().slice(0, 10));
  });

  it("names.find finds the newest of very many posts with the same title", async () => {
    const { actors, instance, units } = world();
    const post = { content_type: "news" as const, title: "Daily news", unit: units.root };
    const { id: first } = await actors.administrator.call(posts.create, post);
    const one = instance.database.reader.selectFrom("posts").selectAll().where("id", "=", first);
    const { id: _, ...row } = await one.executeTakeFirstOrThrow();
    await instance.database.write((tx) => tx.insertInto("posts").values(Array(600).fill(row)).execute());
    const newest = Array.from({ length: 6 }, (_, n) => first + 600 - n);
    expect((await find("member", "daily news", "posts")).map(({ id }) => id)).toEqual(newest);
    await instance.database.write((tx) => tx.deleteFrom("posts").where("id", ">", first).execute());
  });

  it("names.find tells an attacker nothing about titles of others, however many posts of an accomplice come before", async () => {
    const { actors, instance, units } = world();
    const draft = { content_type: "debate" as const, publish: { status: false } };
    const { id: hidden } = await actors.member.call(posts.create, { ...draft, title: "Merger" });
    const one = instance.database.reader.selectFrom("posts").selectAll().where("id", "=", hidden);
    const { id: _, ...row } = await one.executeTakeFirstOrThrow();
    const { id: own } = await actors.outsider.call(posts.create, { ...draft, title: "Merger z" });
    const secret = { content_type: "news" as const, title: "Merger with Acme", unit: units.north };
    for (let count = 0; count < 4; count++) {
      await instance.database.write((tx) => tx.insertInto("posts").values(Array(170).fill(row)).execute());
      expect(await found("outsider", "merger", "posts")).toEqual([[own, "similar"]]);
      await actors.administrator.call(posts.create, secret);
      expect(await found("outsider", "merger", "posts")).toEqual([[own, "similar"]]);
    }
    await instance.database.write((tx) => tx.deleteFrom("posts").where("id", ">", own).execute());
  });

  it("names.find gives the first of many titles, whatever an attacker may not read between them", async () => {
    const { actors, instance, units } = world();
    const draft = { content_type: "debate" as const, publish: { status: false } };
    const { id: first } = await actors.member.call(posts.create, { ...draft, title: "Report" });
    const one = instance.database.reader.selectFrom("posts").selectAll().where("id", "=", first);
    const { id: _, ...row } = await one.executeTakeFirstOrThrow();
    const titled = (title: string) => ({ ...row, title, title_key: titleLookupKey(title) });
    const rows = Array.from({ length: 600 }, (__, n) => titled(`Report ${String(n).padStart(4, "0")}`));
    await instance.database.write((tx) => tx.insertInto("posts").values(rows).execute());
    const titles = async () => (await find("member", "repor", "posts")).map(({ name }) => name);
    const expected = ["Report", ...rows.slice(0, 5).map(({ title }) => title)];
    expect(await titles()).toEqual(expected);
    const secret = { content_type: "news" as const, title: "Report 0000 hidden", unit: units.north };
    await actors.administrator.call(posts.create, { ...secret, publish: { status: false } });
    expect(await titles()).toEqual(expected);
    await instance.database.write((tx) => tx.deleteFrom("posts").where("id", ">", first).execute());
  });

  it("names.find gives texts that begin alike the same as each of them alone", async () => {
    const { administrator, outsider } = world().actors;
    const titles = [
      "Oak",
      "OAK",
      "Oak",
      "Oak tree",
      "Oak \u{1f333}",
      "Oak \ufb52",
      "Oakum",
      "Oaks",
      "Oakland",
      "Oakley",
      "Oa",
    ];
    for (const title of titles)
      await administrator.call(posts.create, { content_type: "news", title, unit: world().units.root });
    for (const name of titles) await administrator.call(groups.create, { name, privacy: "public" });
    const texts = [
      "oa",
      "oak",
      "OAK",
      "Öak",
      "oakl",
      "oakle",
      "oaka",
      "oak t",
      "oak \u{1f333}",
      "oak \ufb52",
      "o",
      "oaku",
      "p",
    ];
    for (const kind of ["posts", "groups"] as const) {
      const { data } = await outsider.call(names.find, { texts, kinds: [kind] });
      for (const text of texts) {
        const same = data.filter((match) => match.text === text);
        expect([text, same]).toEqual([text, await find("outsider", text, kind)]);
      }
    }
  });

  it("names.find finds events by their titles, for those who may read them, and titles that grow when folded", async () => {
    const { actors, units } = world();
    const { administrator } = actors;
    const times = { start: 1_900_000_000, end: 1_900_003_600 };
    const event = { ...times, type: "chain" as const, units: [units.north] };
    const { id } = await administrator.call(events.create, { ...event, title: "Sommerfest" });
    expect(await find("member", "SOMMERFEST", "events")).toMatchObject([{ id, match: "name", detail: "2030-03-17" }]);
    expect(await found("outsider", "sommerfest", "events")).toEqual([]);
    const personal = await actors.member.call(events.create, { ...times, type: "user", title: "Dentist" });
    expect(await found("member", "dentist", "events")).toEqual([[personal.id, "name"]]);
    expect(await found("administrator", "dentist", "events")).toEqual([]);
    const long = "\ufdfa".repeat(255);
    await administrator.call(events.update, { id, title: long });
    expect(await found("member", long, "events")).toEqual([[id, "name"]]);
    expect(await found("member", "sommerfest", "events")).toEqual([]);
    await administrator.call(events.delete, { id });
    expect(await found("member", long, "events")).toEqual([]);
  });

  it("names.find finds conversations by their titles, for their participants only", async () => {
    const { actors, ids } = world();
    const recipients = [ids.member, ids.colleague];
    const { id } = await actors.administrator.call(conversations.create, { recipients, message: "Hi" });
    await actors.administrator.call(conversations.update, { id, title: "Projekt: Kajplads" });
    for (const actor of ["administrator", "member"] as const) {
      expect(await found(actor, "projekt kajplads", "conversations")).toEqual([[id, "name"]]);
      expect(await found(actor, "PROJ", "conversations")).toEqual([[id, "similar"]]);
    }
    for (const actor of ["manager", "outsider"] as const)
      expect(await found(actor, "projekt kajplads", "conversations")).toEqual([]);
    await actors.administrator.call(conversations.update, { id, title: "" });
    expect(await found("member", "projekt", "conversations")).toEqual([]);
    expect((await actors.member.call(names.find, { kinds: ["conversations"] })).data).toEqual([]);
  });

  it("names.find finds the first and newest of very many conversations of the actor", async () => {
    const { ids, instance } = world();
    const rows = Array.from({ length: 2100 }, (_, n) => {
      const title = `Shift ${String(n % 2095).padStart(4, "0")}`;
      return {
        type: "group" as const,
        title,
        title_key: titleWordsKey(title),
        people_key: `${n}`,
        created_at: n,
        updated_at: n,
      };
    });
    const added = await instance.database.write(async (tx) => {
      const made = await tx.insertInto("conversations").values(rows).returning(["id", "created_at"]).execute();
      const own = { user_id: ids.member, joined_position: 0, seen_position: 0 };
      await tx
        .insertInto("conversation_participants")
        .values(made.map(({ id }) => ({ conversation_id: id, ...own })))
        .execute();
      return new Map(made.map(({ id, created_at }) => [created_at, id]));
    });
    const idsOf = (...numbers: number[]) => numbers.map((n) => added.get(n));
    expect((await find("member", "shift", "conversations")).map(({ id }) => id)).toEqual(
      idsOf(2095, 0, 2096, 1, 2097, 2),
    );
    expect(await found("member", "shift 0004", "conversations")).toEqual(idsOf(2099, 4).map((id) => [id, "name"]));
    await instance.database.write(async (tx) => {
      const made = [...added.values()];
      await tx.deleteFrom("conversation_participants").where("conversation_id", "in", made).execute();
      await tx.deleteFrom("conversations").where("id", "in", made).execute();
    });
  });

  it("names.find finds no deleted webhook, but another one of the same name", async () => {
    const { administrator } = world().actors;
    const create = () => administrator.call(webhooks.create, { name: "Twice", uri: "https://x.example/" });
    const { data: deleted } = await create();
    const { data: kept } = await create();
    await administrator.call(webhooks.delete, { id: deleted.id });
    expect(await found("administrator", "twice", "webhooks")).toEqual([[kept.id, "name"]]);
  });

  it("names.find returns at most six matches, all kinds without kinds, and the first things without texts", async () => {
    const { addUnit, actors } = world();
    for (let i = 0; i < 8; i++) await addUnit({ name: "Kitchen" });
    expect(await found("member", "kitchen", "units")).toHaveLength(6);
    await addUnit({ name: "Payroll" });
    const all = await actors.administrator.call(names.find, { texts: ["payroll"] });
    expect(all.data.map(({ kind }) => kind)).toEqual(["units", "webhooks"]);
    const first = await actors.member.call(names.find, { kinds: ["units", "usertypes"] });
    expect(new Set(first.data.map(({ kind, text }) => `${kind}${text}`))).toEqual(new Set(["units", "usertypes"]));
  });

  it("names.find returns a user once when several names match, and does not search titles", async () => {
    const { addUser } = world();
    const { id } = await addUser({ first_name: "Quinn", last_name: "Quinnsen", title: "Brewer" });
    await addUser({ first_name: "Ole", last_name: "Holm", title: "Quintet" });
    expect(await found("member", "Quin", "users")).toEqual([[id, "similar"]]);
  });

  it("names.find finds users whose name begins with several words, before names with one of these words", async () => {
    const { addUser, actors } = world();
    const names = ["Mohamed", "Ravn", "Raun"];
    const added: number[] = [];
    for (const last_name of names) added.push((await addUser({ first_name: "Idé", last_name })).id);
    const [other, ravn, raun] = added;
    await actors.administrator.call(users.deactivate, { id: raun! });
    expect(await found("member", "ide r", "users")).toEqual([[ravn, "similar"]]);
    const either = [other, ravn].map((id) => [id, "similar"]);
    expect(await found("member", "Idé", "users")).toEqual(either);
    expect(await found("member", "Ide x", "users")).toEqual(either);
  });

  it("names.find finds users by each word of a name that nobody has, except short ones", async () => {
    const { id } = await world().addUser({ first_name: "Wanda", last_name: "Binsfeld" });
    expect(await found("member", "Wawa Bins", "users")).toEqual([[id, "similar"]]);
    expect(await found("member", "Xyzw Xyz Bins", "users")).toEqual([[id, "similar"]]);
    expect(await found("member", "Wawa Bi", "users")).toEqual([]);
  });

  it("names.find looks as far for each word of a name, however many users another word finds", async () => {
    const { addUser, actors } = world();
    const many = Array.from({ length: 45 }, (_, at) => `Xyl${at}`);
    const { id: gone } = await addUser({
      first_name: many.slice(0, 23).join(" "),
      last_name: many.slice(23).join(" "),
    });
    await actors.administrator.call(users.deactivate, { id: gone });
    const { id } = await addUser({ first_name: "Xylophon" });
    for (let at = 0; at < 6; at++) await addUser({ first_name: `Vbq${at}` });
    expect(await found("member", "Xyl Vbq", "users")).toContainEqual([id, "similar"]);
  });

  it("names.find finds users by similar names after many words of another user that begin alike", async () => {
    const { addUser } = world();
    const many = Array.from({ length: 45 }, (_, at) => `Zq${at}`);
    const first = await addUser({ first_name: many.slice(0, 23).join(" "), last_name: many.slice(23).join(" ") });
    const last = await addUser({ first_name: "Zqx", last_name: "Holm" });
    expect(await found("member", "Zq", "users")).toEqual([
      [first.id, "similar"],
      [last.id, "similar"],
    ]);
  });

  it("names.find finds users by a changed name, and not by the old one", async () => {
    const { addUser, actors } = world();
    const { id } = await addUser({ first_name: "Before", last_name: "Marriage" });
    await actors.administrator.call(users.update, { id, last_name: "Wedding" });
    expect(await found("member", "before wedding", "users")).toEqual([[id, "name"]]);
    expect(await found("member", "before marriage", "users")).not.toContainEqual([id, "name"]);
    const row = {
      email: `user-${id}@example.com`,
      first_name: "Imported",
      last_name: "Person",
      reference: `names ${id}`,
    };
    const imports = { rows: [{ ...row, unit: "north" }] };
    await actors.administrator.call(users.import, imports);
    const [[imported] = []] = await found("member", "imported person", "users");
    await actors.administrator.call(users.import, { rows: [{ ...row, unit: "north", first_name: "Again" }] });
    expect(await found("member", "again person", "users")).toEqual([[imported, "name"]]);
  });

  it("names.find returns a match for each of several texts with the same meaning", async () => {
    const { addUnit, actors } = world();
    const { id } = await addUnit({ name: "Same", reference: "SAME-1" });
    const { data } = await actors.member.call(names.find, {
      texts: ["SAME-1", "same", "ref:SAME-1", "SAME"],
      kinds: ["units"],
    });
    expect(data.map((each) => [each.text, each.id, each.match])).toEqual([
      ["SAME-1", id, "reference"],
      ["same", id, "name"],
      ["ref:SAME-1", id, "reference"],
      ["SAME", id, "name"],
    ]);
  });

  it("names.find refuses wrong input, and requests without a token", async () => {
    const { actors } = world();
    const wrong = [{ texts: [] }, { texts: ["a\nb"] }, { texts: Array.from({ length: 101 }, (_, i) => `a${i}`) }];
    for (const input of wrong) expect((await wrongFields(actors.member.call(names.find, input)))[0]).toMatch(/^texts/);
    expect((await wrongFields(actors.member.call(names.find, { kinds: ["files"] as never })))[0]).toMatch(/^kinds/);
    expect(await codeOf(actors.attacker.call(names.find, { texts: ["x"] }))).toBe("unauthenticated");
    expect(await codeOf(actors.member.call(names.find, { texts: ["a,b", "ref:", " "] }))).toBe("validation_failed");
    expect((await actors.member.call(names.find, { texts: ["Kitchen, new", "%", "_"] })).data).toEqual([]);
  });
});
