import { afterAll, beforeAll, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { createClient } from "../../src/http/client/client.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteHttp } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { sendMails } from "../support/password-mail.ts";
import { type ReverseProxy, startProxy } from "../support/reverse-proxy.ts";

const fresh = "an entirely new password";
const world = useWorld(sqliteHttp);
let proxy: ReverseProxy;
beforeAll(async () => {
  const { instance, actors } = world();
  proxy = await startProxy(instance.url, "/wcs");
  await actors.administrator.call(settings.set, { base_url: proxy.url });
  instance.wait(2);
});
afterAll(() => proxy.close());

/** Creates a user and returns the address with the link in the welcome mail. */
async function invite(): Promise<{ email: string; link: string }> {
  const { actors, addUser, instance } = world();
  const { id, email } = await addUser();
  await actors.administrator.call(users.welcome, { users: [id] });
  const [mail] = await sendMails(instance, proxy.url);
  return { email: email!, link: /https?:\S+token=\S+/.exec(mail!.text)![0] };
}

interface Shown {
  readonly url: string;
  readonly text: string;
  /** The URLs that the page links to, loads, or sends its form to. */
  readonly urls: string[];
}

async function show(answer: Response): Promise<Shown> {
  expect(answer.status, answer.url).toBe(200);
  const text = await answer.text();
  const found = [...text.matchAll(/(?:href|src|action|data-document)="([^"#]+)"/g)];
  return { url: answer.url, text, urls: found.map(([, url = ""]) => new URL(url, answer.url).href) };
}
const open = async (url: string) => show(await fetch(url));

/** Sends the form of a page as a browser does. */
function submit({ url, text }: Shown, headers: Record<string, string> = { origin: "null" }): Promise<Response> {
  const action = /<form[^>]* action="([^"]+)"/.exec(text)![1]!;
  const inputs = [...text.matchAll(/<input[^>]*>/g)].map(([input]) => {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1] ?? "";
    const [name, value] = [attribute("name"), attribute("value")];
    const typed = name.startsWith("password") ? fresh : name === "email" ? "nobody@example.com" : "";
    return [name, value || typed];
  });
  const body = new URLSearchParams(inputs.filter(([name]) => name !== "") as [string, string][]);
  return fetch(new URL(action, url), { method: "POST", body, headers });
}

it("below a path, the link in the mail, the form and the next page stay below that path", async () => {
  const { email, link } = await invite();
  expect(link).toMatch(new RegExp(`^${proxy.url}/welcome\\?`));
  const form = await open(link);
  const done = await show(await submit(form));
  expect(done.url).toBe(`${proxy.url}/password/done?lang=en`);
  expect(done.text).toContain(`wcs auth login --url ${proxy.url}<`);
  const client = createClient({ url: proxy.url, userAgent: "test" });
  expect(await codeOf(client.call(auth.authenticate, { username: email, password: fresh }))).toBe("ok");
  await client.close();
  const used = await fetch(link);
  expect(used.status).toBe(410);
  const forgot = await show(await fetch(`${proxy.url}/password/forgot`));
  const requested = await show(await submit(forgot));
  expect(requested.url).toBe(`${proxy.url}/password/requested?lang=en`);
  const start = [await open(proxy.url), await open(`${proxy.url}/`)];
  const reference = await open(`${proxy.url}/docs`);
  for (const page of [form, done, forgot, requested, ...start, reference]) {
    for (const url of page.urls.filter((each) => !each.includes("/password/set"))) {
      expect(url, page.url).toMatch(new RegExp(`^${proxy.url}/`));
      expect((await fetch(url)).status, url).toBe(200);
    }
  }
  expect(start[0]!.urls).toEqual(expect.arrayContaining([`${proxy.url}/docs`, `${proxy.url}/openapi.json`]));
  const described = reference.urls.find((url) => url.endsWith("openapi.json"))!;
  const { servers, paths } = (await (await fetch(described)).json()) as { servers: { url: string }[]; paths: object };
  expect(new URL(servers[0]!.url, described).href.replace(/\/$/, "")).toBe(proxy.url);
  expect(Object.keys(paths)).toContain("/api/authenticate");
  expect(proxy.outside).toEqual([]);
});

it("under another host name the form works, and its links lead to pages there or below the base URL", async () => {
  const { email, link } = await invite();
  const { instance } = world();
  const elsewhere = link.replace(proxy.url, instance.url);
  const form = await open(elsewhere);
  expect(form.urls).not.toEqual([]);
  for (const url of form.urls) expect(url).toMatch(new RegExp(`^${instance.url}/`));
  const done = await show(await submit(form, { origin: instance.url }));
  expect(done.url).toBe(`${instance.url}/password/done?lang=en`);
  expect(done.text).toContain(`wcs auth login --url ${proxy.url}<`);
  const client = createClient({ url: instance.url, userAgent: "test" });
  expect(await codeOf(client.call(auth.authenticate, { username: email, password: fresh }))).toBe("ok");
  await client.close();
});

it("a form that another website sends is refused, below the path and under another host name", async () => {
  const { link } = await invite();
  for (const base of [proxy.url, world().instance.url]) {
    const form = await open(link.replace(proxy.url, base));
    expect((await submit(form, { origin: "null", "sec-fetch-site": "cross-site" })).status).toBe(403);
  }
  expect((await fetch(link)).status).toBe(200);
});
