import { expect, it, vi } from "vitest";
import { languages } from "../../src/contract/languages.ts";
import { settings } from "../../src/contract/settings.ts";
import { timezones } from "../../src/contract/timezones.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("languages and time zones", (environment) => {
  const world = useWorld(environment);

  it("languages.list returns the languages of the settings with their own names", async () => {
    const { actors, instance } = world();
    expect(await actors.member.call(languages.list, {})).toEqual({
      data: [
        { code: "en", name: "English" },
        { code: "da", name: "dansk" },
      ],
    });
    await actors.administrator.call(settings.set, { languages: ["pt-BR", "qaa"] });
    instance.wait(1);
    expect((await actors.member.call(languages.list, {})).data).toEqual([
      { code: "pt-BR", name: expect.stringMatching(/portugu/i) },
      { code: "qaa", name: "qaa" },
    ]);
    expect(await wrongFields(actors.member.call(languages.list, { code: "en" } as never))).toEqual(["code"]);
  });

  it("users.create and users.update accept only languages that the instance offers, and name them", async () => {
    const { instance, addUser, ids } = world();
    const administrator = await instance.as(ids.administrator);
    const { id } = await addUser({ language: "pt-br", email: "offered@example.com" });
    await administrator.call(settings.set, { languages: ["en", "da"] });
    instance.wait(1);
    const message = "is not a language of this instance, which are: en, da";
    expect((await refusal(addUser({ language: "tlh" }))).fields).toEqual({ language: [message] });
    expect(await wrongFields(administrator.call(users.update, { id, language: "tlh", title: 1 } as never))).toEqual([
      "language",
      "title",
    ]);
    // A language that was offered before can stay.
    await administrator.call(users.update, { id, language: "pt-br", title: "Pilot" });
    await administrator.call(users.update, { id, language: "da-DK" });
    expect(await wrongFields(administrator.call(users.update, { id, language: "pt-br" }))).toEqual(["language"]);
    expect(await wrongFields(administrator.call(users.update, { id, language: "dan" }))).toEqual(["language"]);
  });

  it("users.import accepts languages that the instance does not offer", async () => {
    const { instance, ids } = world();
    const administrator = await instance.as(ids.administrator);
    await administrator.call(settings.set, { languages: ["en", "da"] });
    const rows = [
      { first_name: "Eva", last_name: "Lund", email: "eva.lund@example.com", unit: "harbour", language: "tlh" },
    ];
    const { results } = await administrator.call(users.import, { rows });
    expect(results).toMatchObject([{ action: "created" }]);
  });

  it("timezones.list shows the current offset, with summer time", async () => {
    const { actors, instance } = world();
    const offsets = async () =>
      new Map((await actors.member.call(timezones.list, {})).data.map((zone) => [zone.name, zone.offset]));
    const expected = (name: string) => {
      const at = new Date(instance.now() * 1000);
      const local = new Date(at.toLocaleString("en-US", { timeZone: name }));
      return Math.round((local.getTime() - new Date(at.toLocaleString("en-US", { timeZone: "UTC" })).getTime()) / 1000);
    };
    for (let season = 0; season < 2; season++) {
      const zones = await offsets();
      expect(zones.get("UTC")).toBe(0);
      expect(zones.size).toBeGreaterThan(400);
      for (const name of [
        "Europe/Copenhagen",
        "America/New_York",
        "Australia/Lord_Howe",
        "America/St_Johns",
        "Asia/Tokyo",
      ]) {
        expect(zones.get(name), name).toBe(expected(name));
      }
      instance.wait(182 * 86_400);
      actors.member = await instance.as(world().ids.member);
    }
  });

  it("timezones.list calculates each offset once for many requests, and again when summer time begins or ends", async () => {
    const { ids, instance } = world();
    instance.freeze();
    instance.wait(Date.UTC(2031, 9, 26, 0, 59, 59) / 1000 - instance.now());
    const list = async () => {
      const member = await instance.as(ids.member);
      return (await member.call(timezones.list, {})).data;
    };
    const offsetIn = async (name: string) => (await list()).find((zone) => zone.name === name)?.offset;
    const create = vi.spyOn(Intl, "DateTimeFormat");
    try {
      const lists = await Promise.all([list(), list(), list(), list()]);
      const names = create.mock.calls.flatMap(([, options]) => (options?.timeZoneName ? [options.timeZone] : []));
      expect(names.toSorted()).toEqual(lists[0]?.map(({ name }) => name).toSorted());
      expect(new Set(lists.map((each) => JSON.stringify(each))).size).toBe(1);
    } finally {
      create.mockRestore();
    }
    expect(await offsetIn("Europe/Copenhagen")).toBe(7200);
    instance.wait(1);
    expect(await offsetIn("Europe/Copenhagen")).toBe(3600);
    instance.wait(Date.UTC(2032, 3, 3, 14, 59, 59) / 1000 - instance.now());
    expect(await offsetIn("Australia/Lord_Howe")).toBe(39_600);
    instance.wait(1);
    expect(await offsetIn("Australia/Lord_Howe")).toBe(37_800);
  });

  it("timezones.list names the time zone of the instance", async () => {
    const { actors, instance } = world();
    const administrator = await instance.as(world().ids.administrator);
    expect((await administrator.call(timezones.list, {})).instance).toBe("UTC");
    await administrator.call(settings.set, { timezone: "Europe/Copenhagen" });
    // A server may take a second to see a changed setting.
    instance.wait(2);
    actors.member = await instance.as(world().ids.member);
    expect((await actors.member.call(timezones.list, {})).instance).toBe("Europe/Copenhagen");
    await administrator.call(settings.set, { timezone: null });
  });

  it("timezones.list: users.update accepts every name", async () => {
    const { instance, ids } = world();
    const member = await instance.as(ids.member);
    const { data } = await member.call(timezones.list, {});
    for (const { name } of data.filter((_, index) => index % 40 === 0)) {
      expect(await codeOf(member.call(users.update, { id: ids.member, timezone: name })), name).toBe("ok");
    }
    for (const timezone of ["+02:00", "Europe/Atlantis", "CET ", "../../etc/passwd"]) {
      expect(await wrongFields(member.call(users.update, { id: ids.member, timezone })), timezone).toEqual([
        "timezone",
      ]);
    }
  });
});
