import { expect, it } from "vitest";
import { defaults, settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { refusal, wrongFields } from "../support/outcome.ts";
import { allRows } from "../support/tables.ts";

describeOnOneDatabase("settings", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const set = async (changes: object) => {
    const answer = await admin().call(settings.set, changes as never);
    // On PostgreSQL servers look again every second.
    world().instance.wait(1);
    return answer;
  };
  const list = () => admin().call(settings.list, {});

  it("settings.list returns the defaults", async () => {
    expect(await list()).toEqual({ ...defaults, "mail.smtp_url": null });
  });

  it("settings.set changes the given settings, and null restores the default", async () => {
    const changes = {
      timezone: "Europe/Copenhagen",
      languages: ["da"],
      "tokens.lifetime": 3600,
      "mail.from": "wcs@example.com",
    };
    expect(await set(changes)).toEqual({ ...defaults, ...changes });
    expect(await list()).toEqual({ ...defaults, ...changes });
    expect(await set({ languages: null })).toEqual({ ...defaults, ...changes, languages: defaults.languages });
    await set({ timezone: null, "tokens.lifetime": null, "mail.from": null });
    expect(await list()).toEqual(defaults);
    expect((await allRows(world().instance.database)).settings).toEqual([]);
  });

  it("settings.set: an empty text or link restores the default, other settings cannot be empty", async () => {
    const texts = {
      name: "Acme",
      base_url: "https://wcs.example.com",
      timezone: "Europe/Oslo",
      "mail.from": "wcs@example.com",
      "mail.smtp_url": "smtp://mail.example.com",
    };
    expect(await set(texts)).toEqual({ ...defaults, ...texts, "mail.smtp_url": "set" });
    expect(await set(Object.fromEntries(Object.keys(texts).map((key) => [key, ""])))).toEqual(defaults);
    expect((await allRows(world().instance.database)).settings).toEqual([]);
    const others = Object.keys(defaults).filter((key) => !(key in texts));
    expect(await wrongFields(set(Object.fromEntries(others.map((key) => [key, ""]))))).toEqual(others.sort());
  });

  it("settings.set names all unknown and wrong keys, and changes nothing", async () => {
    const wrong = {
      timezone: "Mars",
      languages: [],
      "tokens.lifetime": 59,
      "tokens.absolute_lifetime": "1",
      "passwords.min_length": 7,
      "passwords.reset_lifetime": 1.5,
      base_url: "ftp://example.com",
      "mail.smtp_url": "https://mail.example.com",
      "webhooks.allow_private": "yes",
      "uploads.max_bytes": 0,
      "webhooks.timeout": 61,
      "audit.days": 0,
      "tokens.key": "x",
      tokens: { lifetime: 1 },
      constructor: 1,
      "webhooks.log_days": 30,
    };
    expect(await wrongFields(set(wrong))).toEqual(
      Object.keys(wrong)
        .filter((key) => key !== "webhooks.log_days")
        .sort(),
    );
    expect(await list()).toEqual(defaults);
  });

  it.each([
    "https://wcs.example.com/\0",
    "https://wcs.example.com/a b",
    "wcs",
    "https://wcs.example.com/?a=1",
    "https://wcs.example.com/a?",
    "https://wcs.example.com/#top",
    "https://wcs.example.com#",
    "https://user:secret@wcs.example.com",
    "https:user@wcs.example.com/a",
  ])("settings.set refuses %j as base_url", async (bad) => {
    expect(await wrongFields(set({ base_url: bad }))).toEqual(["base_url"]);
  });

  it.each([
    ["https://wcs.example.com/ø@a", "https://wcs.example.com/%C3%B8@a"],
    ["HTTPS://WCS.example.com:443/a/../b/", "https://wcs.example.com/b"],
    ["http://wcs.example.com:8080/api/", "http://wcs.example.com:8080"],
    ["http://api/", "http://api"],
  ])("settings.set keeps the base_url %s as %s", async (given, kept) => {
    expect((await set({ base_url: given })).base_url).toBe(kept);
    await set({ base_url: null });
  });

  it("settings.set refuses unknown languages", async () => {
    for (const bad of ["english!", "en-US-US", "en-abc", "EN", "xx", "zz-DE"]) {
      expect(await wrongFields(set({ languages: [bad] })), bad).toEqual(["languages.0"]);
    }
    const good = ["en", "pt-BR", "zh-Hant", "sr-Latn-RS", "kl", "es-419", "cnr", "sh"];
    expect((await set({ languages: good })).languages).toEqual(good);
    await set({ languages: null });
  });

  it("settings.set keeps a repeated language once", async () => {
    expect((await set({ languages: ["da", "en", "da"] })).languages).toEqual(["da", "en"]);
    await set({ languages: null });
  });

  it("settings.set: mail.from is one address, with or without a name", async () => {
    for (const bad of [
      "Acme",
      "Acme <>",
      "a@example.com, b@example.com",
      "Acme, Inc. <a@example.com>",
      "<a@b> c",
      "@b",
    ]) {
      expect(await wrongFields(set({ "mail.from": bad })), bad).toEqual(["mail.from"]);
    }
    for (const good of ["wcs@localhost", "Ærø & Co. <a@example.com>", '"Acme, Inc." <a@example.com>']) {
      expect((await set({ "mail.from": good }))["mail.from"]).toBe(good);
    }
    await set({ "mail.from": null });
  });

  it("settings.set: mail.smtp_url is never shown", async () => {
    const url = "smtps://robot:hunter2@mail.example.com:465";
    expect((await set({ "mail.smtp_url": url }))["mail.smtp_url"]).toBe("set");
    expect(JSON.stringify(await list())).not.toContain("hunter2");
    const { message, fields } = await refusal(set({ "mail.smtp_url": "smtp//robot:hunter3@mail" }));
    expect(JSON.stringify({ message, fields })).not.toContain("hunter3");
    expect((await set({ "mail.smtp_url": null }))["mail.smtp_url"]).toBeNull();
  });

  it("settings.set takes effect within a second on every other server", async () => {
    const { instance } = world();
    const clock = { ahead: 0 };
    const other = createService({ database: instance.database, clock: () => Date.now() + clock.ahead });
    const seen = async () => (await other.caller({ userId: 1 }).call(settings.list, {})).timezone;
    expect(await seen()).toBe("UTC");
    await set({ timezone: "Europe/Oslo" });
    clock.ahead = 1000;
    expect(await seen()).toBe("Europe/Oslo");
    await set({ timezone: null });
  });

  it("settings.list: WCS_SETTING_<KEY> takes precedence, in this process", async () => {
    const { instance } = world();
    const asked = (variables: Record<string, string>) =>
      createService({ database: instance.database, environment: variables })
        .caller({ userId: 1 })
        .call(settings.list, {});
    await set({ timezone: "Europe/Oslo" });
    const shown = await asked({
      WCS_SETTING_TIMEZONE: "Europe/Paris",
      WCS_SETTING_TOKENS_LIFETIME: "120",
      WCS_SETTING_LANGUAGES: '["fr"]',
      WCS_SETTING_WEBHOOKS_ALLOW_PRIVATE: "true",
      WCS_SETTING_BASE_URL: "https://wcs.example.com",
      WCS_SETTING_MAIL_SMTP_URL: "smtp://a:hunter2@b.example.com",
    });
    expect(shown).toMatchObject({
      timezone: "Europe/Paris",
      "tokens.lifetime": 120,
      languages: ["fr"],
      "webhooks.allow_private": true,
      base_url: "https://wcs.example.com",
      "mail.smtp_url": "set",
    });
    expect((await list()).timezone).toBe("Europe/Oslo");
    expect(await refusal(asked({ WCS_SETTING_TOKENS_LIFETIME: "soon" }))).toMatchObject({
      code: "unavailable",
      message: "WCS_SETTING_TOKENS_LIFETIME is not a valid value of the setting tokens.lifetime.",
    });
    await set({ timezone: null });
  });

  it("settings.list: WCS_SETTING_<KEY> works beside a stored value that is no longer valid", async () => {
    const { database } = world().instance;
    const stored = { key: "languages", value: '["xx"]' };
    await database.write(async (tx) => void (await tx.insertInto("settings").values(stored).execute()));
    const service = createService({ database, environment: { WCS_SETTING_TIMEZONE: "Europe/Paris" } });
    const shown = await service.caller({ userId: 1 }).call(settings.list, {});
    expect(shown).toMatchObject({ timezone: "Europe/Paris", languages: ["xx"] });
    await set({ languages: null });
  });

  it("users.birthdays: links start with base_url, given with or without a slash or /api at its end", async () => {
    for (const base_url of [
      "https://wcs.example.com/here",
      "https://wcs.example.com/here/",
      "https://wcs.example.com/here/api/",
    ]) {
      await set({ base_url });
      const { links, meta } = await admin().call(users.birthdays, { start: "01-01", end: "12-31" });
      expect(meta.path, base_url).toBe("https://wcs.example.com/here/api/users/birthdays");
      expect(links.first).toBe(`${meta.path}?start=01-01&end=12-31&limit=50&page=1`);
    }
    await set({ base_url: null });
  });

  it("users.birthdays: links start with the address of the server without base_url", async () => {
    const { meta } = await admin().call(users.birthdays, {});
    const served = environment.caller === "http" ? world().instance.url : "";
    expect(meta.path).toBe(`${served}/api/users/birthdays`);
  });
});
