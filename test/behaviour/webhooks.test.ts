import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { triggers, webhooks } from "../../src/contract/webhooks.ts";
import { describeOnOneDatabase, type Instance, newInstance } from "../support/instance.ts";

describeOnOneDatabase("webhooks", (environment) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await newInstance(environment);
  });
  afterAll(() => instance.close());
  const create = async (name = "ci", uri = "https://ci.example.com/hook") =>
    (await instance.administrator.call(webhooks.create, { name, uri })).data;

  it("webhooks.create returns the secret, webhooks.get and list do not", async () => {
    const { administrator } = instance;
    const { secret, ...made } = await create();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const unit = {
      content_type: "unit",
      id: 1,
      name: "Acme",
      level: 0,
      unit_type: "unit",
      parent_id: null,
      stats: [],
      url: "/units/1",
    };
    expect(made).toEqual({
      content_type: "webhook",
      id: made.id,
      name: "ci",
      uri: "https://ci.example.com/hook",
      triggers: [...triggers],
      active: true,
      disabled_at: null,
      disabled_reason: null,
      author: {
        content_type: "user",
        id: 1,
        name: "Ada Admin",
        first_name: "Ada",
        last_name: "Admin",
        title: "",
        active: true,
        permissions: { edit: true, delete: false },
        avatar: null,
        unit,
        physicalUnit: unit,
        url: "/users/1",
      },
      permissions: { edit: true, delete: true },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      url: `/webhooks/${made.id}`,
    });
    expect((await administrator.call(webhooks.get, { id: made.id })).data).toEqual(made);
    expect((await administrator.call(webhooks.list, {})).data).toContainEqual(made);
  });

  it("webhooks.create with active false makes a disabled webhook", async () => {
    const { administrator } = instance;
    const input = { name: "later", uri: "https://example.com/later", active: false };
    const { data } = await administrator.call(webhooks.create, input);
    expect(data).toMatchObject({ active: false, disabled_reason: "manual", secret: expect.any(String) });
    await administrator.call(webhooks.update, { id: data.id, active: true });
    expect((await administrator.call(webhooks.get, { id: data.id })).data).toMatchObject({ active: true });
  });

  it("webhooks.create over HTTP: 201, Location and data", async () => {
    const answer = await fetch(`${instance.url}/api/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${await instance.tokenOf(1)}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "wire", uri: "http://ci.example.com/", triggers: ["unit.delete", "user.create"] }),
    });
    expect(answer.status).toBe(201);
    const { data } = (await answer.json()) as { data: { id: number; triggers: string[] } };
    expect(answer.headers.get("location")).toBe(`${instance.url}/api/webhooks/${data.id}`);
    expect(data.triggers).toEqual(["user.create", "unit.delete"]);
  });

  it("webhooks.update changes the given fields, and nothing when nothing differs", async () => {
    const { administrator } = instance;
    const { id } = await create("before");
    const read = async () => (await administrator.call(webhooks.get, { id })).data;
    const before = await read();
    instance.wait(5);
    await administrator.call(webhooks.update, { id, name: "before" });
    expect(await read()).toEqual(before);
    await administrator.call(webhooks.update, { id, name: "after", triggers: ["user.delete"] });
    expect(await read()).toMatchObject({ name: "after", uri: before.uri, triggers: ["user.delete"] });
    expect((await read()).updated_at).toBeGreaterThan(before.updated_at);
    await administrator.call(webhooks.update, { id, active: false });
    const off = await read();
    expect(off).toMatchObject({ active: false, disabled_reason: "manual", disabled_at: expect.any(Number) });
    instance.wait(5);
    await administrator.call(webhooks.update, { id, active: false });
    expect(await read()).toEqual(off);
    await administrator.call(webhooks.update, { id, active: true });
    expect(await read()).toMatchObject({ active: true, disabled_reason: null, disabled_at: null });
  });

  it("webhooks.rotateSecret returns a new secret", async () => {
    const { id, secret } = await create("rotating");
    const rotated = (await instance.administrator.call(webhooks.rotateSecret, { id })).data.secret;
    expect(rotated).toMatch(/^whsec_/);
    expect(rotated).not.toBe(secret);
  });

  it("webhooks.delete: no operation finds the webhook", async () => {
    const { administrator } = instance;
    const { id } = await create("short-lived");
    await administrator.call(webhooks.delete, { id });
    const gone = { code: "not_found" };
    await expect(administrator.call(webhooks.get, { id })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.update, { id, name: "x" })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.delete, { id })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.rotateSecret, { id })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.logs, { id })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.log, { id, log: 1 })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.stats, { id })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.test, { id, wait: 0 })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.recover, { id, since: 0 })).rejects.toMatchObject(gone);
    await expect(administrator.call(webhooks.resend, { id, log: 1 })).rejects.toMatchObject(gone);
    expect((await administrator.call(webhooks.list, {})).data.map((each) => each.id)).not.toContain(id);
  });

  it("users.delete keeps the user's webhooks", async () => {
    const { administrator } = instance;
    const author = await administrator.call(users.create, {
      first_name: "Eve",
      last_name: "Former",
      email: "eve@example.com",
      unit: 1,
      admin: true,
    });
    const { data } = await (await instance.as(author.id)).call(webhooks.create, {
      name: "hers",
      uri: "https://a.example/",
    });
    await administrator.call(users.delete, { id: author.id });
    const shown = (await administrator.call(webhooks.get, { id: data.id })).data;
    expect(shown.author).toMatchObject({ id: author.id, name: "Deleted user", active: false, unit: null });
  });

  describe("bad input", () => {
    const wrong: [string, Record<string, unknown>, string][] = [
      ["an unknown trigger", { triggers: ["user.rename"] }, "triggers.0"],
      ["an empty list of triggers", { triggers: [] }, "triggers"],
      ["another scheme", { uri: "ftp://example.com/" }, "uri"],
      ["a file", { uri: "file:///etc/passwd" }, "uri"],
      ["no URL", { uri: "example.com/hook" }, "uri"],
      ["credentials", { uri: "https://ann:secret@example.com/" }, "uri"],
      ["a user name", { uri: "https://ann@example.com/" }, "uri"],
      ["credentials without slashes", { uri: "https:ann:secret@example.com/" }, "uri"],
      ["port 0", { uri: "http://example.com:0/" }, "uri"],
      ["a control character", { uri: "https://example.com/\0" }, "uri"],
      ["half a surrogate pair", { uri: "https://example.com/\ud800" }, "uri"],
      ["a line break", { uri: "https://example.com/\nHost: x" }, "uri"],
      ["a very long URL", { uri: `https://example.com/${"x".repeat(2048)}` }, "uri"],
      ["a blank name", { name: " " }, "name"],
      ["an unknown field", { secret: "whsec_mine" }, "secret"],
    ];
    it.each(wrong)("%s", async (_, fields, name) => {
      const input = { name: "bad", uri: "https://example.com/", ...fields } as never;
      await expect(instance.administrator.call(webhooks.create, input)).rejects.toMatchObject({
        code: "validation_failed",
        fields: { [name]: expect.arrayContaining([expect.any(String)]) },
      });
    });
  });

  it("every operation of webhooks is for administrators only", async () => {
    const { id } = await create("private");
    const user = await instance.administrator.call(users.create, {
      first_name: "Una",
      last_name: "User",
      email: "una@example.com",
      unit: 1,
    });
    const una = await instance.as(user.id);
    const log = { id, log: 1 };
    const answers = await Promise.allSettled([
      una.call(webhooks.list, {}),
      una.call(webhooks.get, { id }),
      una.call(webhooks.create, { name: "x", uri: "https://example.com/" }),
      una.call(webhooks.update, { id, name: "x" }),
      una.call(webhooks.delete, { id }),
      una.call(webhooks.rotateSecret, { id }),
      una.call(webhooks.test, { id, wait: 0 }),
      una.call(webhooks.recover, { id, since: 0 }),
      una.call(webhooks.logs, { id }),
      una.call(webhooks.log, log),
      una.call(webhooks.resend, log),
      una.call(webhooks.stats, { id }),
      una.call(webhooks.events, {}),
    ]);
    expect(answers.map((each) => each.status === "rejected" && each.reason.code)).toEqual(
      answers.map(() => "forbidden"),
    );
  });
});
