import type { Caller, OutputOf } from "../../contract/operation.ts";
import { settings as settingsRoom } from "../../contract/settings.ts";
import type { users } from "../../contract/users.ts";
import { webhooks as webhookRoom } from "../../contract/webhooks.ts";
import { type Checks, failed, lengthOf, ok, warning } from "./finding.ts";

export interface LoginFacts {
  readonly user: Pick<OutputOf<typeof users.current>, "name" | "admin">;
  /** When the token ends; undefined without one, as the owner of a database. Unix seconds, like `now`. */
  readonly expires: number | undefined;
  readonly now: number;
}

/** Less than this left, in seconds, is worth a word. */
const soon = 3600;

export const loginChecks: Checks<LoginFacts> = {
  login: ({ user, expires, now }) => {
    if (expires === undefined) return ok(`You act as ${user.name}, since you own the database.`);
    const left = `Signed in as ${user.name}; the token is good for ${lengthOf(expires - now)}.`;
    return expires - now < soon ? warning(`${left} Exchange it with wcs auth renew.`) : ok(left);
  },
  rights: ({ user }) =>
    user.admin
      ? ok(`${user.name} is an administrator.`)
      : warning(
          `${user.name} is no administrator: settings and webhooks cannot be seen. Sign in as one to check them.`,
        ),
};

export interface ServiceFacts {
  readonly settings: Pick<
    OutputOf<typeof settingsRoom.list>,
    "base_url" | "mail.from" | "mail.smtp_url" | "mail.allow_plain" | "webhooks.allow_private"
  >;
  readonly webhooks: readonly WebhookFacts[];
}

interface WebhookFacts {
  readonly id: number;
  readonly active: boolean;
  readonly disabled_reason: "manual" | "gone" | "failing" | null;
  /** Attempts of the last day. */
  readonly succeeded: number;
  readonly failed: number;
}

/** What an administrator may see, alike on a database and over HTTP. */
export async function lookAtService(caller: Caller): Promise<ServiceFacts> {
  const settings = await caller.call(settingsRoom.list, {});
  const { data } = await caller.call(webhookRoom.list, {});
  const webhooks: WebhookFacts[] = [];
  for (const { id, active, disabled_reason } of data) {
    const [day] = active ? (await caller.call(webhookRoom.stats, { id, parts: 1 })).data : [];
    webhooks.push({ id, active, disabled_reason, succeeded: day?.succeeded ?? 0, failed: day?.failed ?? 0 });
  }
  return { settings, webhooks };
}

const named = (webhooks: readonly { id: number }[]) => webhooks.map(({ id }) => id).join(", ");

export const serviceChecks: Checks<ServiceFacts> = {
  base_url: ({ settings: { base_url } }) =>
    base_url === null
      ? warning(
          "Not set, so links in mail lead to where it happens to be served. Set it: wcs settings set base_url https://...",
        )
      : ok(`Links in mail lead to ${base_url}.`),
  mail: ({ settings }) => {
    const missing = (["mail.smtp_url", "mail.from"] as const).filter((key) => settings[key] === null);
    if (missing.length === 0) return ok(`Mail leaves, from ${settings["mail.from"]}.`);
    return warning(`No mail leaves: set ${missing.join(" and ")} with wcs settings set.`);
  },
  "mail.allow_plain": ({ settings }) =>
    settings["mail.allow_plain"]
      ? warning(
          "On: mail, with the links in it that set passwords, may cross the network in the clear. Turn it off: wcs settings set mail.allow_plain false.",
        )
      : ok("Off: mail leaves this machine over TLS only."),
  "webhooks.allow_private": ({ settings }) =>
    settings["webhooks.allow_private"]
      ? warning(
          "On: whoever registers webhooks reaches this network from inside. Turn it off: wcs settings set webhooks.allow_private false.",
        )
      : ok("Off: callbacks go to public addresses only."),
  "webhooks disabled": ({ webhooks }) => {
    const disabled = webhooks.filter(({ disabled_reason }) => ["gone", "failing"].includes(disabled_reason ?? ""));
    if (disabled.length === 0) return ok("The service disabled none.");
    const [first] = disabled;
    return warning(
      `Disabled, since their receivers are gone or failed for days: ${named(disabled)}. When one works again: wcs webhooks update ${first?.id} --active, and wcs webhooks recover ${first?.id}.`,
    );
  },
  "webhooks failing": ({ webhooks }) => {
    const bad = webhooks.filter((webhook) => webhook.active && webhook.succeeded === 0 && webhook.failed > 0);
    return bad.length === 0
      ? ok("None has failed all day.")
      : failed(`Not one attempt of the last day succeeded: ${named(bad)}. See why: wcs webhooks logs ${bad[0]?.id}.`);
  },
};
