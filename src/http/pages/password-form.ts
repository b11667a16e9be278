import { html } from "hono/html";
import type { Html } from "./page-layout.ts";
import type { PageTexts } from "./page-texts-en.ts";

/** A wrong field: the ID of its input and the message. */
export interface FormIssue {
  readonly input: "password" | "password_confirm" | "email";
  readonly message: string;
}

export interface PasswordForm {
  readonly kind: "welcome" | "reset";
  readonly token: string;
  readonly email: string;
  readonly language: string;
  readonly minLength: number;
  readonly action: string;
  readonly issues: readonly FormIssue[];
}

/** Returns the form that sets a password. It works without the script, which adds the strength and checks while typing. */
export function passwordForm(texts: PageTexts, form: PasswordForm): Html {
  const { kind, token, email, language, minLength, action, issues } = form;
  const { title, intro } = texts[kind];
  const { rules, strength } = texts;
  return html`<h1>${title}</h1>
<p>${intro}</p>
${errorSummary(texts.problems, issues)}
<form method="post" action="${action}" id="password-form" data-min="${minLength}" data-different="${texts.issues.different}"
  data-levels="${strength.levels.join("|")}">
<input type="hidden" name="kind" value="${kind}">
<input type="hidden" name="lang" value="${language}">
<input type="hidden" name="token" value="${token}">
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" value="${email}" readonly autocomplete="username">
<div id="rules" class="rules">
<p>${rules.title}</p>
<ul><li>${rules.length(minLength)}</li><li>${rules.common}</li><li>${rules.own}</li></ul>
</div>
${passwordInput("password", texts.password, issues, "rules")}
<p class="enhanced" hidden>${strength.label}: <meter id="meter" aria-hidden="true" min="0" max="3" low="2" high="3" optimum="3" value="0"></meter>
<output id="strength" for="password" aria-live="polite"></output></p>
${passwordInput("password_confirm", texts.passwordAgain, issues)}
<p id="match" aria-live="polite"></p>
<p class="enhanced" hidden><label class="inline"><input type="checkbox" id="show"> ${texts.showPasswords}</label></p>
<button type="submit">${texts.setPassword}</button>
</form>`;
}

function passwordInput(
  id: "password" | "password_confirm",
  label: string,
  issues: readonly FormIssue[],
  hint?: string,
) {
  return labelled(
    { id, label, issues, hint },
    (described) =>
      html`<input id="${id}" name="${id}" type="password" required autocomplete="new-password" autocapitalize="none" spellcheck="false"${described}>`,
  );
}

interface Labelled {
  readonly id: FormIssue["input"];
  readonly label: string;
  readonly issues: readonly FormIssue[];
  readonly hint?: string;
}

/** Returns an input with its label and its error. `input` gets the attributes that refer to the error and the hint. */
function labelled({ id, label, issues, hint }: Labelled, input: (described: Html) => Html): Html {
  const issue = issues.find((each) => each.input === id);
  const ids = [hint, issue && `${id}-error`].filter(Boolean).join(" ");
  const described = html`${ids !== "" && html` aria-describedby="${ids}"`}${issue && html` aria-invalid="true"`}`;
  return html`<label for="${id}">${label}</label>
${issue && html`<p class="error" id="${id}-error">${issue.message}</p>`}
${input(described)}`;
}

/** Returns the list of all errors with links to their inputs. It has the focus, so that a screen reader reads it first. */
function errorSummary(title: string, issues: readonly FormIssue[]): Html {
  if (issues.length === 0) return html``;
  return html`<div id="errors" class="summary" role="alert" tabindex="-1" autofocus>
<h2>${title}</h2>
<ul>${issues.map(({ input, message }) => html`<li><a href="#${input}">${message}</a></li>`)}</ul>
</div>`;
}

type RequestForm = Pick<PasswordForm, "email" | "language" | "action" | "issues">;

export function requestForm(texts: PageTexts, { email, language, action, issues }: RequestForm): Html {
  return html`${errorSummary(texts.failure.title, issues)}
<p>${texts.request.intro}</p>
<form method="post" action="${action}">
<input type="hidden" name="lang" value="${language}">
${labelled(
  { id: "email", label: texts.email, issues },
  (described) =>
    html`<input id="email" name="email" type="email" value="${email}" required autocomplete="username"${described}>`,
)}
<button type="submit">${texts.request.button}</button>
</form>`;
}
