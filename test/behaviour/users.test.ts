import { expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { mailedToken, sendMails, tokenIn } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeOnOneDatabase("users, creating", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const mailsTo = (user: number) =>
    world().instance.database.reader.selectFrom("mails").selectAll().where("user_id", "=", user).execute();

  it("users.create needs names, address and unit only", async () => {
    const { instance, units: places } = world();
    const least = { first_name: "Åse", last_name: "Æbelø", email: "Aase@Example.com", unit: places.harbour };
    const made = await admin().call(users.create, least);
    const { id } = made;
    const north = {
      content_type: "unit",
      id: places.north,
      name: "North",
      level: 1,
      unit_type: "unit",
      url: `/units/${places.north}`,
    };
    const harbour = {
      content_type: "unit",
      id: places.harbour,
      name: "Harbour",
      level: 2,
      unit_type: "unit",
      url: `/units/${places.harbour}`,
    };
    const unit = { ...harbour, parent: north };
    const abilities = {
      news: false,
      calendar: false,
      groups: false,
      user: false,
      units: false,
      usertypes: false,
      integrations: false,
    };
    expect(made).toEqual({
      content_type: "user",
      id,
      name: "Åse Æbelø",
      first_name: "Åse",
      last_name: "Æbelø",
      title: "",
      active: true,
      avatar: null,
      url: `/users/${id}`,
      reference: null,
      email: "Aase@Example.com",
      phone: null,
      birthday: null,
      language: null,
      timezone: null,
      admin: false,
      policy_accepted_at: null,
      settings: { show_birthdays: "all", birthdays_optout: false },
      meta_field_0: "",
      meta_field_1: "",
      meta_field_2: "",
      meta_field_3: "",
      meta_field_4: "",
      permissions: { edit: true, delete: true },
      unit,
      physicalUnit: unit,
      department: null,
      twoFactor: { enabled: false },
      userTypes: [],
      memberUnits: [{ unit, department: null, userTypes: [], abilities }],
      memberGroups: [],
      specialties: [],
      all_integrations: [],
      devices: [],
      provider: ["local"],
      participant_type: "user",
      created_at: instance.now(),
      updated_at: instance.now(),
    });
    expect(await admin().call(users.get, { id })).toEqual(made);
    expect(await mailsTo(id)).toEqual([]);
  });

  it("users.create accepts all fields", async () => {
    const { units: places, cranes, types } = world();
    const profile = {
      reference: "everything",
      title: "Crane driver",
      phone: "+45 12 34 56 78",
      birthday: "2000-02-29",
      language: "da",
      timezone: "Europe/Copenhagen",
      admin: true,
      settings: { show_birthdays: "unit" as const, birthdays_optout: true },
      meta_field_0: "a",
      meta_field_4: "é'\"\\ 👩\u200d👧 \u200fש",
    };
    const made = await world().addUser({
      ...profile,
      department: cranes,
      userTypes: [types.employee, types.editor, types.editor],
    });
    expect(made).toMatchObject(profile);
    expect(made.department).toEqual({ id: cranes, name: "Cranes" });
    expect(made.userTypes.map((type) => type.id)).toEqual([types.editor, types.employee].sort((a, b) => a - b));
    expect(made.memberUnits).toMatchObject([{ unit: { id: places.harbour }, abilities: { news: true, user: false } }]);
    await admin().call(users.delete, { id: made.id });
  });

  it("users.create names all wrong fields", async () => {
    const wrong = {
      first_name: " ",
      last_name: "x".repeat(256),
      email: "ann@",
      unit: 0,
      userTypes: ["1"],
      department: 1.5,
      birthday: "2023-02-29",
      language: "english!",
      timezone: "Mars/Olympus",
      settings: { show_birthdays: "some", colour: 1 },
      meta_field_0: "\ud800",
      title: "a\0b",
      shoe_size: 43,
      constructor: 1,
    };
    expect(await wrongFields(admin().call(users.create, wrong as never))).toEqual([
      ..."birthday constructor department email first_name language last_name meta_field_0 settings.colour".split(" "),
      ..."settings.show_birthdays shoe_size timezone title unit userTypes.0".split(" "),
    ]);
    expect(await wrongFields(admin().call(users.create, {} as never))).toEqual([
      "email",
      "first_name",
      "last_name",
      "unit",
    ]);
  });

  it("users.create counts 255 characters as code points", async () => {
    expect((await world().addUser({ first_name: "🥪".repeat(255) })).first_name).toHaveLength(510);
    expect(await wrongFields(world().addUser({ first_name: "🥪".repeat(256) }))).toEqual(["first_name"]);
  });

  it("users.create refuses unknown units, departments and user types", async () => {
    const { addUser, cranes, units: places } = world();
    expect(await wrongFields(addUser({ unit: 987654 }))).toEqual(["unit"]);
    expect(await wrongFields(addUser({ userTypes: [987654] }))).toEqual(["userTypes"]);
    expect(await wrongFields(addUser({ department: 987654 }))).toEqual(["department"]);
    expect(await wrongFields(addUser({ department: cranes, unit: places.north }))).toEqual(["department"]);
  });

  it("users.create and users.update refuse an address that is taken, in any case", async () => {
    const { addUser, ids } = world();
    const { id } = await addUser();
    for (const email of ["member@example.com", "MEMBER@example.com", "deactivated@example.com"]) {
      const taken = { code: "conflict", message: expect.stringContaining("email is taken") };
      expect(await refusal(addUser({ email }))).toMatchObject(taken);
      expect(await refusal(admin().call(users.update, { id, email }))).toMatchObject(taken);
    }
    const own = await admin().call(users.update, { id: ids.member, email: "Member@Example.com" });
    expect(own.email).toBe("Member@Example.com");
    await admin().call(users.update, { id: ids.member, email: "member@example.com" });
  });

  it("users.create and users.update refuse a reference that is taken", async () => {
    const { addUser } = world();
    const taken = { code: "conflict", message: expect.stringContaining("reference is taken") };
    expect(await refusal(addUser({ reference: "colleague" }))).toMatchObject(taken);
    const { id } = await addUser({ reference: "Colleague" });
    expect(await refusal(admin().call(users.update, { id, reference: "colleague" }))).toMatchObject(taken);
    expect((await admin().call(users.update, { id, reference: "Colleague" })).reference).toBe("Colleague");
    expect((await admin().call(users.update, { id, reference: null })).reference).toBeNull();
  });

  it("users.create: who can reactivate the deactivated holder of an address or a reference is told so", async () => {
    const { actors, addUser, units: places } = world();
    const { id, email } = await addUser({ reference: "gone-1" });
    const person = { first_name: "New", last_name: "Again", unit: places.harbour };
    const taken = async (actor: "manager" | "administrator", fields: { email: string; reference?: string }) =>
      (await refusal(actors[actor].call(users.create, { ...person, ...fields })))?.message;
    expect(await taken("manager", { email: email! })).toBe(`The email is taken by user ${id}.`);
    await admin().call(users.deactivate, { id });
    const gone = `user ${id}, who is deactivated; wcs users reactivate ${id} makes the user active again.`;
    expect(await taken("manager", { email: email! })).toBe(`The email is taken by ${gone}`);
    expect(await taken("manager", { email: "other@example.com", reference: "gone-1" })).toBe(
      `The reference is taken by ${gone}`,
    );
    const elsewhere = await addUser({ reference: "gone-2", unit: places.south });
    await admin().call(users.deactivate, { id: elsewhere.id });
    expect(await taken("manager", { email: elsewhere.email! })).toBe("The email is taken by another user.");
    expect(await taken("manager", { email: "other@example.com", reference: "gone-2" })).toBe(
      `The reference is taken by user ${elsewhere.id}.`,
    );
  });

  it("users.create with welcome sends a mail with a token to set a password", async () => {
    const { instance, addUser, stranger } = world();
    const { id, email } = await addUser({ welcome: true });
    const [mail, ...others] = await mailsTo(id);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ kind: "welcome", recipient: email, state: "waiting", created_at: instance.now() });
    const token = await mailedToken(instance, email!);
    const input = { email: email!, token, password, password_confirm: password };
    expect(await codeOf(stranger.call(auth.passwordReset, input))).toBe("ok");
  });

  it("users.create with welcome and a password sends a mail without a token", async () => {
    const { email } = await world().addUser({ welcome: true, password });
    const mails = (await sendMails(world().instance)).filter(({ to }) => to.includes(email!));
    expect(mails.map(tokenIn)).toEqual([""]);
  });

  it("users.create: a refused call leaves nothing, no mail either", async () => {
    const { instance, addUser } = world();
    const count = async () =>
      (await instance.database.reader.selectFrom("mails").select("id").execute()).length +
      (await instance.database.reader.selectFrom("users").select("id").execute()).length;
    const before = await count();
    expect(await wrongFields(addUser({ welcome: true, userTypes: [987654] }))).toEqual(["userTypes"]);
    expect(await count()).toBe(before);
  });
});
