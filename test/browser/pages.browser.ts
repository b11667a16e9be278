import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteHttp } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { sendMails } from "../support/password-mail.ts";
import { startProxy } from "../support/reverse-proxy.ts";
import { openBrowser, type Visit, violationsOn, visit } from "./browser.ts";
import { chromium } from "./find-chromium.ts";

const fresh = "an entirely new password";
const narrow = { viewport: { width: 320, height: 640 } };
const dark = { colorScheme: "dark" as const };

describe.skipIf(chromium === undefined)("pages in a browser", () => {
  const world = useWorld(sqliteHttp);
  let browser: Browser | undefined;
  afterAll(() => browser?.close());
  /** Returns the browser, a new one after a crash of Chromium, which then fails a single test. */
  const running = async (): Promise<Browser> => {
    if (!browser?.isConnected()) browser = await openBrowser();
    return browser;
  };
  beforeEach(() => world().instance.wait(3601));

  let people = 0;
  /** Creates a user and returns the link in the welcome mail, and the mail as HTML. */
  async function invited(language = "en"): Promise<{ email: string; link: string; html: string }> {
    const { units, instance } = world();
    people += 1;
    const email = `ada${people}@example.com`;
    const person = { first_name: "Ada", last_name: "Lovelace", email, unit: units.root, language };
    const administrator = await instance.as(1);
    await administrator.call(users.create, { ...person, welcome: true });
    const [mail] = await sendMails(instance, instance.url);
    return { email, link: /https?:\S+token=\S+/.exec(mail!.text)![0], html: mail!.html };
  }

  /** Visits pages, and checks that nothing came from elsewhere and that the browser had nothing to complain about. */
  async function visiting(options: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
    const { page, foreign, complaints }: Visit = await visit(await running(), world().instance.url, options);
    try {
      await work(page);
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await page.context().close();
    }
  }

  const shoot = (page: Page, name: string) =>
    process.env.WCS_SCREENSHOTS === undefined
      ? Promise.resolve()
      : page.screenshot({ path: `docs/images/${name}.png`, fullPage: name !== "docs" }).then(() => {});

  const shows = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

  async function fill(page: Page, first: string, second = first): Promise<void> {
    await page.getByLabel("New password", { exact: true }).fill(first);
    await page.getByLabel("New password again").fill(second);
    await page.getByRole("button", { name: "Set password" }).click();
  }

  async function signsIn(email: string): Promise<string> {
    return codeOf(world().stranger.call(auth.authenticate, { username: email, password: fresh }));
  }

  it("a welcome mail leads to the form, the form to the page that says where to sign in, and the API accepts it", async () => {
    const { email, link } = await invited();
    await visiting({}, async (page) => {
      await page.goto(link);
      expect(await violationsOn(page)).toEqual([]);
      await page.getByLabel("New password", { exact: true }).fill("abcdefgh");
      expect(await page.locator("#strength").innerText()).toBe("weak");
      await page.getByLabel("New password", { exact: true }).fill(fresh);
      expect(await page.locator("#strength").innerText()).toBe("strong");
      await shoot(page, "welcome");
      await fill(page, fresh);
      await shows(page, "Your password is set");
      expect(page.url()).not.toContain("token");
      expect(await violationsOn(page)).toEqual([]);
      await shoot(page, "password-set");
      expect(await signsIn(email)).toBe("ok");
      await page.goto(link);
      await shows(page, "This link does not work");
      await shoot(page, "used-link");
    });
  });

  it("works without JavaScript", async () => {
    const { email, link } = await invited();
    await visiting({ javaScriptEnabled: false }, async (page) => {
      await page.goto(link);
      await fill(page, fresh);
      await shows(page, "Your password is set");
      expect(await signsIn(email)).toBe("ok");
    });
  });

  it("works with the keyboard only", async () => {
    const { email, link } = await invited();
    await visiting({}, async (page) => {
      await page.goto(link);
      const focus = async (id: string) => {
        for (let i = 0; i < 10 && (await page.evaluate("document.activeElement.id")) !== id; i++)
          await page.keyboard.press("Tab");
        expect(await page.evaluate("document.activeElement.id")).toBe(id);
      };
      await focus("password");
      await page.keyboard.type("password1");
      await focus("password_confirm");
      await page.keyboard.type("password1");
      await page.keyboard.press("Enter");
      await page.waitForURL(/password\/set$/);
      expect(await page.evaluate("document.activeElement.id")).toBe("errors");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.id")).toBe("password");
      await page.keyboard.type(fresh);
      await focus("password_confirm");
      await page.keyboard.type(fresh);
      await page.keyboard.press("Enter");
      await page.waitForURL(/password\/done/);
      expect(await signsIn(email)).toBe("ok");
    });
  });

  it("a second click on a slow network sends nothing again", async () => {
    const { email, link } = await invited();
    await visiting({}, async (page) => {
      let sent = 0;
      await page.route(/password\/(set|forgot)/, async (route) => {
        if (route.request().method() === "POST") {
          sent += 1;
          await new Promise((resolve) => setTimeout(resolve, 1000));
        }
        await route.continue();
      });
      const clickTwice = async (name: string) => {
        const box = await page.getByRole("button", { name }).boundingBox();
        for (let i = 0; i < 2; i++) await page.mouse.click(box!.x + 10, box!.y + 10, { delay: 50 });
      };
      await page.goto(link);
      await page.getByLabel("New password", { exact: true }).fill(fresh);
      await page.getByLabel("New password again").fill(fresh);
      await clickTwice("Set password");
      await shows(page, "Your password is set");
      expect([sent, await signsIn(email)]).toEqual([1, "ok"]);
      await page.goto(link);
      await clickTwice("Send a new link");
      await page.waitForURL(/password\/requested/);
      expect(sent).toBe(2);
      await page.goBack();
      await clickTwice("Send a new link");
      await page.waitForURL(/password\/requested/);
      expect(sent).toBe(3);
    });
  });

  it("an expired link leads to another mail", async () => {
    const { instance } = world();
    const { email, link } = await invited();
    instance.wait(604_801);
    await visiting({}, async (page) => {
      await page.goto(link);
      await shows(page, "This link does not work");
      expect(await violationsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Send a new link" }).click();
      await shows(page, "Check your mail");
      expect(await violationsOn(page)).toEqual([]);
      const [mail] = await sendMails(instance, instance.url);
      expect(mail!.to).toEqual([email]);
      await page.goto(/https?:\S+token=\S+/.exec(mail!.text)![0]);
      await fill(page, fresh);
      await shows(page, "Your password is set");
      expect(await signsIn(email)).toBe("ok");
    });
  });

  it.each([
    ["narrow", narrow],
    ["dark", dark],
    ["narrow and dark", { ...narrow, ...dark }],
  ])("%s: every page fits the window and is accessible", async (name, options) => {
    const { link } = await invited();
    await visiting(options, async (page) => {
      const check = async (shown: string) => {
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(overflow, shown).toBeLessThanOrEqual(0);
        expect(await violationsOn(page), shown).toEqual([]);
      };
      for (const path of ["/", "/welcome", "/password/forgot", "/password/requested", "/password/done"]) {
        await page.goto(world().instance.url + path);
        await check(path);
      }
      await page.goto(link);
      await check("form");
      await fill(page, "password1", "password2");
      await page.locator("#errors").waitFor();
      await check("unequal");
      if (name !== "dark") await shoot(page, name === "narrow" ? "errors-narrow" : "errors-dark");
    });
  });

  it("speaks Danish", async () => {
    const { link } = await invited("da");
    await visiting({ locale: "da-DK" }, async (page) => {
      await page.goto(link);
      await shows(page, "Velkommen");
      await page.getByLabel("Ny adgangskode").fill("kort");
      expect(await page.locator("#strength").innerText()).toBe("for kort");
      expect(await violationsOn(page)).toEqual([]);
    });
  });

  it.each([
    ["light", {}],
    ["dark", dark],
    ["narrow", narrow],
  ])("the API reference shows every tag and an example (%s)", async (name, options) => {
    await visiting(options, async (page) => {
      await page.goto(`${world().instance.url}/docs`);
      await page.locator("#operations-tag-Auth").waitFor();
      expect(await violationsOn(page)).toEqual([]);
      // "html" is transparent, so that the ground of "body" covers the window.
      expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
        "rgba(0, 0, 0, 0)",
      );
      if (name === "light") await shoot(page, "docs");
      if (name === "narrow") {
        const widths = "Array.from(document.querySelectorAll('.opblock-tag small'), (each) => each.clientWidth)";
        expect(Math.min(...(await page.evaluate<number[]>(widths)))).toBeGreaterThan(narrow.viewport.width / 2);
      }
      await page.locator("#operations-tag-Auth").click();
      await page.getByText("/api/authenticate", { exact: true }).click();
      await page.getByText("a good long password").first().waitFor();
      expect(await violationsOn(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    });
  });

  it.each([
    ["light", narrow],
    ["dark", { ...narrow, ...dark }],
  ])("a welcome mail fits a narrow window and is accessible (%s)", async (name, options) => {
    const { html, link } = await invited();
    await visiting(options, async (page) => {
      await page.setContent(html);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      // A mail has no landmarks.
      expect(
        (await violationsOn(page)).filter((each) => !/^(region|landmark-one-main|page-has-heading-one)/.test(each)),
      ).toEqual([]);
      expect(await page.getByRole("link", { name: "Choose your password" }).getAttribute("href")).toBe(link);
      if (name === "light") await shoot(page, "mail-narrow");
    });
  });

  it("below a path behind a proxy, the start page, the reference and the form work", async () => {
    const { instance } = world();
    const administrator = await instance.as(1);
    const proxy = await startProxy(instance.url, "/wcs");
    try {
      await administrator.call(settings.set, { base_url: proxy.url });
      instance.wait(2);
      const { email, link } = await invited();
      const { page, foreign, complaints } = await visit(await running(), new URL(proxy.url).origin);
      await page.goto(proxy.url);
      await page.getByRole("link", { name: "API reference" }).click();
      await page.locator("#operations-tag-Auth").waitFor();
      await page.goto(link.replace(instance.url, proxy.url));
      await fill(page, fresh);
      await shows(page, "Your password is set");
      expect(await signsIn(email)).toBe("ok");
      expect([proxy.outside, foreign, complaints]).toEqual([[], [], []]);
      await page.context().close();
    } finally {
      await administrator.call(settings.set, { base_url: null });
      instance.wait(2);
      await proxy.close();
    }
  });

  it("the start page", async () => {
    await visiting({}, async (page) => {
      await page.goto(world().instance.url);
      await shoot(page, "start");
      expect(await violationsOn(page)).toEqual([]);
      await page.getByRole("link", { name: "API reference" }).click();
      await page.locator("#operations-tag-Auth").waitFor();
    });
  });
});
