import { html } from "hono/html";
import { auth } from "../../contract/auth.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Issue } from "../../contract/issue-messages.ts";
import type { Origin } from "../../contract/operation.ts";
import { type PageRequest, singleValue } from "./page-context.ts";
import { type Html, renderPage } from "./page-layout.ts";
import { pageHeaders, requireOwnForm } from "./page-response.ts";
import type { PageTexts } from "./page-texts-en.ts";
import { type FormIssue, type PasswordForm, passwordForm, requestForm } from "./password-form.ts";

type Kind = PasswordForm["kind"];

const scripts = ["send-once.js"];

/** Shows the form of a link in a mail, or says that the link does not work. Does not use the link up. */
export async function showForm(request: PageRequest, kind: Kind): Promise<Response> {
  const failure = await findFailure(request);
  return failure === undefined ? respondWithForm(request, kind, []) : respondToFailure(request, kind, failure);
}

export async function submitForm(request: PageRequest): Promise<Response> {
  const { options, exchange, fields } = request;
  requireOwnForm(exchange);
  const kind = singleValue(fields, "kind") === "welcome" ? "welcome" : "reset";
  const input = {
    ...linkOf(fields),
    password: singleValue(fields, "password"),
    password_confirm: singleValue(fields, "password_confirm"),
  };
  try {
    await options.invoke(auth.passwordReset, input, originOf(request));
  } catch (error) {
    // Unequal passwords are refused before the link is checked.
    return respondToFailure(request, kind, (await findFailure(request)) ?? error);
  }
  return redirect(request, "password/done");
}

/** Leads to a new page, so that reloading it does not send the form again. */
function redirect({ exchange, root, language }: PageRequest, path: string): Response {
  return exchange.respond(303, null, { ...pageHeaders(), location: `${root}${path}?lang=${language}` });
}

export async function showDone(request: PageRequest): Promise<Response> {
  const { texts, options } = request;
  const { title, intro, next, command } = texts.done;
  const url = await options.baseUrl();
  const main = html`<h1>${title}</h1>
<p>${intro}</p>
<p>${next}</p>
<p><a href="${request.root || "./"}">${url}</a></p>
<p>${command}</p>
<pre><code>wcs auth login --url ${url}</code></pre>`;
  return respond(request, { title, main });
}

export function showRequest(request: PageRequest, issues: readonly FormIssue[] = []): Promise<Response> {
  const { title } = request.texts.request;
  return respond(request, { title, main: html`<h1>${title}</h1>\n${otherLink(request, issues)}`, scripts, issues });
}

/** Asks for another link. The page is the same for every address. */
export async function submitRequest(request: PageRequest): Promise<Response> {
  const { options, exchange, fields, texts } = request;
  requireOwnForm(exchange);
  try {
    await options.invoke(auth.passwordRequest, { email: singleValue(fields, "email") }, originOf(request));
  } catch (error) {
    if (!isInvalid(error)) throw error;
    return showRequest(request, [{ input: "email", message: texts.issues.email }]);
  }
  return redirect(request, "password/requested");
}

export function showRequested(request: PageRequest): Promise<Response> {
  const { title, intro, spam } = request.texts.requested;
  return respond(request, { title, main: html`<h1>${title}</h1>\n<p>${intro}</p>\n<p>${spam}</p>` });
}

/** Shows an error page. `status` is that of the same error in the API. */
export async function errorPage(request: PageRequest, error: unknown): Promise<string> {
  const { failure } = request.texts;
  const code = error instanceof ServiceError ? error.code : "internal";
  const text = code === "forbidden" ? failure.foreign : code === "too_many_requests" ? failure.busy : failure.later;
  const main = html`<h1>${failure.title}</h1>\n<p>${text}</p>`;
  // The database of the name may be the one that fails.
  const { name } = await request.options.instance().catch(() => ({ name: "wcs" }));
  return renderPage({ ...request, name, title: failure.title, main });
}

const linkOf = (fields: URLSearchParams) => ({
  token: singleValue(fields, "token"),
  email: singleValue(fields, "email"),
});

function originOf({ exchange }: PageRequest): Origin {
  const { address, network } = exchange;
  return { address, network };
}

const isInvalid = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === "validation_failed";

/** Returns the error that makes a link unusable. Tries a password that is always too short, which changes nothing. */
async function findFailure(request: PageRequest): Promise<ServiceError | undefined> {
  const tooShort = { password: "x", password_confirm: "x" };
  const origin = { ...originOf(request), dryRun: true };
  try {
    await request.options.invoke(auth.passwordReset, { ...linkOf(request.fields), ...tooShort }, origin);
  } catch (error) {
    if (!isInvalid(error)) throw error;
    return error.issues.some(({ field }) => field === "token" || field === "email") ? error : undefined;
  }
  return undefined;
}

function respondToFailure(request: PageRequest, kind: Kind, error: unknown): Promise<Response> {
  if (!isInvalid(error)) throw error;
  const { issues } = error;
  if (issues.some(({ code }) => code === "managed_elsewhere")) {
    const { title, intro } = request.texts.elsewhere;
    return respond(request, { title, main: html`<h1>${title}</h1>\n<p>${intro}</p>`, status: 422 });
  }
  if (issues.some(({ field }) => field === "token" || field === "email")) return respondUnusable(request);
  return respondWithForm(request, kind, issues);
}

async function respondWithForm(request: PageRequest, kind: Kind, issues: readonly Issue[]): Promise<Response> {
  const { options, fields, language, texts, root } = request;
  const { minPasswordLength: minLength } = await options.instance();
  const form = {
    kind,
    ...linkOf(fields),
    language,
    minLength,
    action: `${root}password/set`,
    issues: issues.map((issue) => formIssue(texts, issue, minLength)),
  };
  const main = passwordForm(texts, form);
  return respond(request, { title: texts[kind].title, main, scripts: ["password-form.js", ...scripts], issues });
}

function formIssue({ issues }: PageTexts, { field, code }: Issue, minLength: number): FormIssue {
  if (field === "password_confirm") return { input: "password_confirm", message: issues.different };
  const messages: Partial<Record<Issue["code"], string>> = {
    too_small: issues.tooShort(minLength),
    too_big: issues.tooLong,
    common_password: issues.common,
    own_name: issues.own,
  };
  return { input: "password", message: messages[code] ?? issues.other };
}

function respondUnusable(request: PageRequest): Promise<Response> {
  const { title, intro, used } = request.texts.unusable;
  const main = html`<h1>${title}</h1>
<p>${intro}</p>
<p>${used}</p>
<h2>${request.texts.request.heading}</h2>
${otherLink(request)}`;
  return respond(request, { title, main, scripts, status: 410 });
}

function otherLink({ texts, fields, language, root }: PageRequest, issues: readonly FormIssue[] = []) {
  return requestForm(texts, {
    email: singleValue(fields, "email"),
    language,
    action: `${root}password/forgot`,
    issues,
  });
}

interface Content {
  readonly title: string;
  readonly main: Html;
  readonly scripts?: readonly string[];
  readonly status?: number;
  /** Issues of a form; with any, the title and the status tell that it was refused. */
  readonly issues?: readonly unknown[];
}

async function respond(request: PageRequest, { issues = [], ...content }: Content): Promise<Response> {
  const { name } = await request.options.instance();
  const { language, root, texts } = request;
  const isRefused = issues.length > 0;
  const title = isRefused ? `${texts.errorPrefix}: ${content.title}` : content.title;
  const { status = isRefused ? 422 : 200 } = content;
  return request.exchange.respond(status, renderPage({ ...content, language, root, name, title }), pageHeaders());
}
