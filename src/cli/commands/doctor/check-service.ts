import type { Caller, OutputOf } from "../../../contract/operation.ts";
import { missingForMail, settings as settingsGroup } from "../../../contract/settings.ts";
import { tokens } from "../../../contract/tokens.ts";
import type { users } from "../../../contract/users.ts";
import { webhooks as webhooksGroup } from "../../../contract/webhooks.ts";
import { durationOf, type FactChecks, type Finding, failed, judgeFacts, ok, type Verdict, warning } from "./finding.ts";

interface LoginFacts {
  readonly user: Pick<OutputOf<typeof users.current>, "name" | "admin">;
  /** Unix seconds when the sign-in expires; undefined for an API token and for the owner of a database. */
  readonly expires: number | undefined;
  readonly apiToken: boolean;
  readonly now: number;
}

/** Seconds before a token expires from which on the check warns. */
const soon = 3600;

export const loginChecks: FactChecks<LoginFacts> = {
  login: ({ user, expires, apiToken, now }) => {
    if (apiToken) return ok(`Signed in as ${user.name} with an API token.`);
    if (expires === undefined) return ok(`You act as ${user.name}, because you own the database.`);
    const left = `Signed in as ${user.name}; the token expires in ${durationOf(expires - now)}.`;
    return expires - now < soon ? warning(`${left} Renew it with wcs auth renew.`) : ok(left);
  },
  rights: ({ user }) =>
    user.admin
      ? ok(`${user.name} is an administrator.`)
      : warning(
          `${user.name} is not an administrator, so settings and webhooks were not checked. Sign in as an administrator to check them.`,
        ),
};

interface ServiceFacts {
  readonly settings: OutputOf<typeof settingsGroup.list>;
  readonly webhooks: readonly WebhookFacts[];
}

/** A webhook with the numbers of its attempts of the last day. */
type WebhookFacts = Pick<OutputOf<typeof webhooksGroup.list>["data"][number], "id" | "active" | "disabled_reason"> &
  Readonly<Record<"succeeded" | "failed", number>>;

/** Checks settings and webhooks, of a database or over HTTP. Throws `forbidden` when the user is no administrator. */
export async function findInService(caller: Caller): Promise<Finding[]> {
  const settings = await caller.call(settingsGroup.list, {});
  const { data } = await caller.call(webhooksGroup.list, {});
  const webhooks: WebhookFacts[] = [];
  for (const { id, active, disabled_reason } of data) {
    const [day] = active ? (await caller.call(webhooksGroup.stats, { id, parts: 1 })).data : [];
    webhooks.push({ id, active, disabled_reason, succeeded: day?.succeeded ?? 0, failed: day?.failed ?? 0 });
  }
  return judgeFacts(serviceChecks, { settings, webhooks });
}

const named = (webhooks: readonly { id: number }[]) => webhooks.map(({ id }) => id).join(", ");

const serviceChecks: FactChecks<ServiceFacts> = {
  base_url: ({ settings: { base_url } }) => checkBaseUrl(base_url),
  mail: ({ settings }) => {
    const missing = missingForMail(settings);
    if (missing.length === 0) return ok(`Mail is sent from ${settings["mail.from"]}.`);
    return warning(`No mail is sent. Set ${missing.join(" and ")} with wcs settings set.`);
  },
  "mail.allow_plain": ({ settings }) =>
    settings["mail.allow_plain"]
      ? warning(
          "On: mails, including links that set passwords, may cross the network unencrypted. Turn it off with wcs settings set mail.allow_plain false.",
        )
      : ok("Off: mail is sent over TLS only."),
  "webhooks.allow_private": ({ settings }) =>
    settings["webhooks.allow_private"]
      ? warning(
          "On: webhooks can call addresses inside this network. Turn it off with wcs settings set webhooks.allow_private false.",
        )
      : ok("Off: callbacks go to public addresses only."),
  "webhooks disabled": ({ webhooks }) => {
    const disabled = webhooks.filter(({ disabled_reason }) => ["gone", "failing"].includes(disabled_reason ?? ""));
    if (disabled.length === 0) return ok("No webhook was disabled by the service.");
    const [first] = disabled;
    return warning(
      `Disabled because the receiver is gone or failed for days: ${named(disabled)}. When a receiver works again, run wcs webhooks update ${first?.id} --active and wcs webhooks recover ${first?.id}.`,
    );
  },
  "webhooks failing": ({ webhooks }) => {
    const bad = webhooks.filter((webhook) => webhook.active && webhook.succeeded === 0 && webhook.failed > 0);
    return bad.length === 0
      ? ok("No webhook failed all day.")
      : failed(
          `No attempt of the last day succeeded: ${named(bad)}. See the errors with wcs webhooks logs ${bad[0]?.id}.`,
        );
  },
};

export function checkBaseUrl(url: string | null): Verdict {
  return url === null
    ? warning(
        "Not set, so links in mails use the address that the service listens on. Set it with wcs settings set base_url https://...",
      )
    : ok(`Links in mails begin with ${url}.`);
}

const warningDays = 14;

/** Checks the API tokens that expire soon or have expired: the user's own, or all of them for administrators. */
export async function findInTokens(caller: Caller): Promise<Finding[]> {
  const now = Math.floor(Date.now() / 1000);
  const { data } = await caller.call(tokens.list, { expires_before: now + warningDays * 86_400, limit: 500 });
  return [{ check: "API tokens", ...checkTokens(data, now) }];
}

function checkTokens(ending: OutputOf<typeof tokens.list>["data"], now: number): Verdict {
  if (ending.length === 0) return ok(`No API token expires within ${warningDays} days.`);
  const list = ending.map(({ id, name, expires_at }) => {
    const left = (expires_at ?? now) - now;
    return `${name} (${id}) ${left > 0 ? `expires in ${durationOf(left)}` : "has expired"}`;
  });
  return warning(
    `${list.join(", ")}. Create another token with wcs tokens create, then revoke the old one with wcs tokens revoke ${ending[0]?.id}.`,
  );
}
