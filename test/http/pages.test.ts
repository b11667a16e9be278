import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { ServiceError } from "../../src/contract/errors.ts";
import { settings } from "../../src/contract/settings.ts";
import { pageRoutes } from "../../src/http/pages/add-pages.ts";
import { pageTexts } from "../../src/http/pages/page-texts.ts";
import { password, useWorld } from "../support/actors.ts";
import { sqliteHttp } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { mailedToken, sendMails } from "../support/password-mail.ts";
import { enrol, totpCode } from "../support/second-factor.ts";
import { operations, serveFake, speak } from "./support.ts";

const fresh = "an entirely new password";

describe("pages", () => {
  const world = useWorld(sqliteHttp);
  beforeEach(() => world().instance.wait(3601));

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(world().instance.url + path, { headers, redirect: "manual" });
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(world().instance.url + path, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin", ...headers },
      body: new URLSearchParams(fields),
      redirect: "manual",
    });
  const request = (email: string) => world().stranger.call(auth.passwordRequest, { email });
  const requested = async (email: string) => {
    await request(email);
    return { email, token: await mailedToken(world().instance, email) };
  };
  const newLink = async () => requested((await world().addUser({ password, first_name: "Wilhelmina" })).email!);
  const submit = (link: { token: string; email: string }, first = fresh, second = first) =>
    post("/password/set", { kind: "reset", ...link, password: first, password_confirm: second });
  const signIn = (username: string, as: string) => world().stranger.call(auth.authenticate, { username, password: as });
  const scriptsOf = (text: string) =>
    Array.from(text.matchAll(/<script src="[./]*assets\/([^"]+)"/g), ([, name]) => name);
  const linkTo = (path: string, link: { token: string; email: string }) => `${path}?${new URLSearchParams(link)}`;

  it.each(["/password/reset", "/welcome"])("%s: the form sets the password, once", async (path) => {
    const link = await newLink();
    const form = await get(linkTo(path, link));
    expect(form.status).toBe(200);
    const shown = await form.text();
    expect(shown).toContain('name="password_confirm"');
    expect(scriptsOf(shown)).toEqual(["password-form.js", "send-once.js"]);
    expect(await codeOf(signIn(link.email, password))).toBe("ok");
    const done = await submit(link);
    expect(done.status).toBe(303);
    expect(done.headers.get("location")).toBe("../password/done?lang=en");
    expect(await (await get("/password/done")).text()).toContain(`wcs auth login --url ${world().instance.url}`);
    expect(await codeOf(signIn(link.email, fresh))).toBe("ok");
    // The second of two tabs.
    expect((await submit(link, "another new password")).status).toBe(410);
    expect(await codeOf(signIn(link.email, fresh))).toBe("ok");
  });

  it.each(["/password/reset", "/welcome"])("%s needs no code of a user with two factors", async (path) => {
    const { instance, addUser, stranger } = world();
    const { id, email } = await addUser({ password });
    const { secret } = await enrol(await instance.as(id), instance);
    const link = await requested(email!);
    expect(await (await get(linkTo(path, link))).text()).not.toMatch(/name="(otp|code)"/);
    expect((await submit(link)).status).toBe(303);
    expect(await codeOf(signIn(link.email, fresh))).toBe("otp_required");
    instance.wait(30);
    const otp = totpCode(secret, instance.now());
    expect(await codeOf(stranger.call(auth.authenticate, { username: link.email, password: fresh, otp }))).toBe("ok");
  });

  it("a link that is cut off, doubled, incomplete, expired or of another user offers a new link", async () => {
    const [{ email, token }, other] = [await newLink(), await newLink()];
    const wrong: Record<string, string> = {
      cut: linkTo("/password/reset", { token: token.slice(0, -1), email }),
      doubled: linkTo("/password/reset", { token: token + token, email }),
      repeated: `${linkTo("/password/reset", { token, email })}&token=${token}`,
      foreign: linkTo("/password/reset", { token, email: other.email }),
      unknown: linkTo("/password/reset", { token, email: "nobody@example.com" }),
      withoutEmail: `/password/reset?token=${token}`,
      bare: "/password/reset",
      long: linkTo("/password/reset", { token: "x".repeat(2000), email }),
    };
    for (const [name, path] of Object.entries(wrong)) {
      const answer = await get(path);
      expect(answer.status, name).toBe(410);
      const text = await answer.text();
      expect(text, name).toContain('action="../password/forgot"');
      expect(scriptsOf(text), name).toEqual(["send-once.js"]);
    }
    expect((await submit({ token, email: other.email })).status).toBe(410);
    expect((await get(linkTo("/welcome", { token, email }))).status).toBe(200);
    world().instance.wait(1801);
    expect((await get(linkTo("/password/reset", { token, email }))).status).toBe(410);
    expect((await submit({ token, email })).status).toBe(410);
  });

  it("a password that is too short, common, the name or not repeated is refused with a message, and the link stays valid", async () => {
    const link = await newLink();
    const refused: [first: string, second: string, message: string][] = [
      ["short", "short", "at least 8 characters"],
      ["", "", "at least 8 characters"],
      ["x".repeat(129), "x".repeat(129), "at most 128 characters"],
      ["password1", "password1", "most common passwords. Choose"],
      ["Wilhelmina", "Wilhelmina", "must not be your name"],
      [link.email, link.email, "must not be your name"],
      [fresh, `${fresh}!`, "are not the same"],
    ];
    for (const [first, second, message] of refused) {
      const answer = await submit(link, first, second);
      const text = await answer.text();
      expect(answer.status, message).toBe(422);
      expect(text, message).toContain("<title>Error: ");
      expect(text.match(new RegExp(`<a href="#password(_confirm)?">[^<]*${message}`)), message).not.toBeNull();
      if (first !== "" && first !== link.email) expect(text, message).not.toContain(`value="${first}"`);
    }
    expect((await submit(link)).status).toBe(303);
  });

  it("an input refers to its hint and to its error", async () => {
    const link = await newLink();
    const shown = async (answer: Response) => {
      const text = await answer.text();
      const inputs = text.matchAll(/<input id="(\w+)" .*(?:username|spellcheck="false)"(.*)>/g);
      const errors = Array.from(text.matchAll(/<p class="error" id="([^"]*)">./g), ([, id]) => id);
      expect(text.includes('id="errors"')).toBe(errors.length > 0);
      return { inputs: Object.fromEntries(Array.from(inputs, ([, id, attributes]) => [id, attributes])), errors };
    };
    const invalid = (ids: string) => ` aria-describedby="${ids}" aria-invalid="true"`;
    const good = { email: "", password: ' aria-describedby="rules"', password_confirm: "" };
    expect(await shown(await get(linkTo("/welcome", link)))).toEqual({ inputs: good, errors: [] });
    expect(await shown(await submit(link, "short"))).toEqual({
      inputs: { ...good, password: invalid("rules password-error") },
      errors: ["password-error"],
    });
    expect(await shown(await submit(link, fresh, "other"))).toEqual({
      inputs: { ...good, password_confirm: invalid("password_confirm-error") },
      errors: ["password_confirm-error"],
    });
    expect(await shown(await get("/password/forgot"))).toEqual({ inputs: { email: "" }, errors: [] });
    expect(await shown(await post("/password/forgot", { email: "nonsense" }))).toEqual({
      inputs: { email: invalid("email-error") },
      errors: ["email-error"],
    });
  });

  it("unequal passwords with a wrong link say that the link does not work", async () => {
    const { email } = await newLink();
    expect((await submit({ token: "x", email }, fresh, "other")).status).toBe(410);
  });

  it("a user whose password is managed elsewhere gets a page that says so", async () => {
    const { token, email } = await newLink();
    const { database } = world().instance;
    const manage = (provider: string) =>
      database.write((tx) => tx.updateTable("users").set({ provider }).where("email", "=", email).execute());
    await manage("entra");
    const answer = await get(linkTo("/welcome", { token, email }));
    // Such a user has no password and no link; see the check of the database.
    await manage("local");
    expect(await answer.text()).toContain("managed elsewhere");
  });

  it("the form for another link answers the same for every address, and sends the mail", async () => {
    const { email } = await world().addUser();
    const answers = await Promise.all(
      [email!, "nobody@example.com"].map((each) => post("/password/forgot", { email: each })),
    );
    const location = "../password/requested?lang=en";
    const shown = answers.map(({ status, headers }) => [status, headers.get("location")]);
    expect(shown).toEqual([
      [303, location],
      [303, location],
    ]);
    expect(await (await get("/password/requested")).text()).toMatch(
      /<title>Check your mail .*<h1>Check your mail<.*on its way/s,
    );
    expect((await sendMails(world().instance)).map(({ to }) => to)).toEqual([[email]]);
    expect((await post("/password/forgot", { email: "nonsense" })).status).toBe(422);
  });

  it("forms from other websites are refused, those without any header of a browser accepted", async () => {
    const link = await newLink();
    const fields = { kind: "reset", ...link, password: fresh, password_confirm: fresh };
    const from = (headers: Record<string, string>) =>
      fetch(`${world().instance.url}/password/set`, {
        method: "POST",
        headers,
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
    const foreign: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: world().instance.url },
    ];
    for (const headers of foreign) {
      const answer = await from(headers);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("another website");
    }
    expect((await from({ origin: world().instance.url })).status).toBe(303);
  });

  it("forms that are not urlencoded, or too large, are refused", async () => {
    const send = (body: string, type: string) =>
      fetch(`${world().instance.url}/password/set`, { method: "POST", headers: { "content-type": type }, body });
    const form = "application/x-www-form-urlencoded";
    for (const type of [
      "application/json",
      `${form}; charset=latin1`,
      `${form}; charset=utf-8x`,
      `${form}; charset=x-utf-8`,
      `${form}x`,
      `x-${form}`,
    ]) {
      expect((await send("password=x", type)).status, type).toBe(415);
    }
    for (const type of [form, `${form}; charset=utf-8`, `${form};charset="UTF-8"`, `${form} ; charset = utf-8`]) {
      expect((await send("password=x", type)).status, type).not.toBe(415);
    }
    expect((await send("x".repeat(20_000), form)).status).toBe(413);
  });

  it("pages cannot be framed or cached, load nothing from other origins, and send no referrer", async () => {
    const link = await newLink();
    for (const path of [
      "/",
      "/docs",
      "/password/done",
      "/password/requested",
      "/password/forgot",
      linkTo("/welcome", link),
      "/welcome",
    ]) {
      const answer = await get(path);
      const { headers } = answer;
      expect((await answer.text()).match(/<h1>/g), path).toHaveLength(1);
      expect(Object.fromEntries(headers), path).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
      });
      const policy = headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    }
  });

  it("pages are in the language of the link, else of the browser, else English", async () => {
    const link = await newLink();
    const languageOf = async (more: string, header?: string) => {
      const answer = await get(
        linkTo("/welcome", link) + more,
        header === undefined ? {} : { "accept-language": header },
      );
      return /<html lang="(\w+)">/.exec(await answer.text())?.[1];
    };
    expect(await languageOf("")).toBe("en");
    expect(await languageOf("", "da-DK,da;q=0.9,en;q=0.8")).toBe("da");
    expect(await languageOf("", "en;q=0.5, da")).toBe("da");
    expect(await languageOf("", "tlh, xx;q=0.4")).toBe("en");
    expect(await languageOf("", "da;q=0, constructor")).toBe("en");
    expect(await languageOf("&lang=da", "en")).toBe("da");
    expect(await languageOf("&lang=tlh", "da")).toBe("da");
    expect(
      await (
        await post("/password/set", { ...link, kind: "welcome", lang: "da", password: "x", password_confirm: "x" })
      ).text(),
    ).toContain("Adgangskoden skal have mindst 8 tegn.");
  });

  it("the start page and the frame of the reference are in Danish, too; other languages get English", async () => {
    const shown = async (path: string, language: string) => (await get(path, { "accept-language": language })).text();
    expect(await shown("/", "da")).toMatch(/<html lang="da">.*API-reference.*Vælg en ny adgangskode.*logger du ind/s);
    expect(await shown("/docs?lang=da", "en")).toMatch(/<html lang="da">.*<h1>API-reference<.*lang="en"/s);
    for (const path of ["/", "/docs", "/password/forgot"]) {
      expect(await shown(path, "kl"), path).toBe(await shown(path, "en"));
      expect(await shown(path, "kl"), path).toContain('<html lang="en">');
    }
  });

  it("each text of the pages has a Danish one", () => {
    const leaves = (value: unknown, path = ""): readonly (readonly [string, unknown])[] => {
      if (typeof value === "function") return [[path, value(8)]];
      if (typeof value !== "object" || value === null) return [[path, value]];
      return Object.entries(value).flatMap(([name, part]) => leaves(part, `${path}.${name}`));
    };
    const [english, danish] = [leaves(pageTexts.en), leaves(pageTexts.da)];
    expect(danish.map(([path]) => path)).toEqual(english.map(([path]) => path));
    for (const [at, [path, text]] of danish.entries()) {
      expect(text, path).toEqual(expect.stringMatching(/\S/));
      expect(text, path).not.toBe(english[at]?.[1]);
    }
  });

  it("addresses come from base_url, with its path, and never from the Host header", async () => {
    const { actors, instance } = world();
    await actors.administrator.call(settings.set, { base_url: "https://example.com/wcs", name: "Acme <b>" });
    instance.wait(2);
    const start = await speak(
      Number(new URL(instance.url).port),
      "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    );
    expect(start).toContain('href="/wcs/docs"');
    expect(start).toContain("<h1>Acme &lt;b&gt;</h1>");
    const done = await (await get("/password/done", { "x-forwarded-host": "evil.example" })).text();
    expect(done).toContain("wcs auth login --url https://example.com/wcs<");
    expect(start + done).not.toContain("evil.example");
    await actors.administrator.call(settings.set, { base_url: null, name: null });
    instance.wait(2);
    expect(await (await get("/")).text()).not.toContain("example.com");
  });

  it("values from links and names are escaped in the page", async () => {
    const link = await newLink();
    const hostile = fc.string({ unit: fc.constantFrom(..."<>\"'&/ax\u00e6=`", "<script>", "\u2028") });
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (token, email) => {
        const text = await (await get(linkTo("/welcome", { token, email }))).text();
        const value = /id="email" name="email" type="email" value="([^"]*)"/.exec(text)?.[1];
        const characters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
        const decoded = value?.replace(/&([a-z]+|#39);/g, (_, name) => characters[name] ?? "?");
        expect(decoded).toBe(email);
        expect(text.match(/<\w+/g)).toEqual(text.replace(`value="${value}"`, "").match(/<\w+/g));
      }),
      { numRuns: 100 },
    );
    expect((await submit(link)).status).toBe(303);
  });
});

it("every file of a page is served from the same origin with its type, and sent again only after a change", async () => {
  const server = await serveFake();
  try {
    for (const path of ["/", "/docs", "/password/done"]) {
      const text = await (await fetch(server.url + path)).text();
      const files = [...text.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]+)"/g)].map(([, file = ""]) => file);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        const answer = await fetch(new URL(file, server.url + path));
        expect(answer.status, file).toBe(200);
        expect(answer.headers.get("content-type"), file).toMatch(
          /^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/,
        );
        const again = await fetch(answer.url, { headers: { "if-none-match": answer.headers.get("etag")! } });
        expect(again.status, file).toBe(304);
      }
    }
  } finally {
    await server.close();
  }
});

it("the log has the route of the page, never the token", async () => {
  const server = await serveFake();
  try {
    await fetch(`${server.url}/welcome?token=secret-token&email=ann@example.com`);
    await fetch(`${server.url}/password/reset?token=secret-token&email=ann@example.com`);
    expect(server.logs.map(({ route }) => route)).toEqual(["/welcome", "/password/reset"]);
    expect(server.calls.map(({ origin }) => origin.dryRun)).toEqual([true, true]);
    expect(JSON.stringify(server.logs)).not.toContain("secret-token");
    expect(JSON.stringify(server.logs)).not.toContain("ann@example.com");
  } finally {
    await server.close();
  }
});

it("an error of the service becomes a page", async () => {
  const server = await serveFake(() => {
    throw new Error("broken");
  });
  try {
    const answer = await fetch(`${server.url}/welcome?token=x&email=ann@example.com`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain("Something went wrong");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  } finally {
    await server.close();
  }
});

it("an operation that is refused for another reason than the input becomes a page with its status", async () => {
  const server = await serveFake(() => {
    throw new ServiceError("too_many_requests", "Try again in a minute.");
  });
  const post = (path: string) =>
    fetch(server.url + path, { method: "POST", body: new URLSearchParams({ token: "x" }) });
  try {
    const asked = [fetch(`${server.url}/welcome?token=x`), post("/password/set"), post("/password/forgot")];
    for (const answer of await Promise.all(asked)) {
      expect(answer.status).toBe(429);
      expect(await answer.text()).toContain("too many attempts");
    }
    await post("/api/password/reset");
    const [first, ...others] = server.calls.map(({ origin }) => ({ address: origin.address, network: origin.network }));
    expect(first).toEqual({ address: expect.any(String), network: expect.any(String) });
    expect(new Set(others.map((origin) => JSON.stringify(origin)))).toEqual(new Set([JSON.stringify(first)]));
  } finally {
    await server.close();
  }
});

it("an error page is shown even when the name of the instance cannot be read", async () => {
  const server = await serveFake(undefined, { instance: () => Promise.reject(new Error("broken")) });
  try {
    const answer = await fetch(server.url);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain("Something went wrong");
  } finally {
    await server.close();
  }
});

it("no page has the path of an operation, with or without /api", () => {
  const pattern = (path: string) => new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`);
  const taken = pageRoutes.filter(({ method, path }) =>
    operations.some((op) => op.method === method && pattern(op.path).test(path)),
  );
  expect(taken).toEqual([]);
});
