import { tryParseJson } from "../../../contract/parse-json.ts";
import type { Client } from "../../../http/client/client.ts";
import { isGatewayError } from "../../../http/client/read-answer.ts";
import { version } from "../../session/version.ts";
import { durationOf, type FactChecks, failed, ok, warning } from "./finding.ts";

/** Reads the public endpoints of an instance. Throws `unavailable` when it cannot be reached. */
export async function readInstanceFacts(raw: Client["raw"], address: string) {
  const began = Date.now();
  const health = await raw("GET", "/healthz");
  const middle = (began + Date.now()) / 2;
  const ready = await raw("GET", "/readyz");
  const description = await raw("GET", "/openapi.json");
  // The Date header has whole seconds, so the time is half a second later on average.
  const theirs = Date.parse(health.headers.date ?? "") + 500;
  return {
    address,
    health: health.status,
    isOurs: isHealth(health.body.toString()),
    ready: ready.status,
    version: versionIn(description.body.toString()),
    /** Seconds by which its clock is ahead of this machine's; undefined when it sends no Date header. */
    ahead: Number.isNaN(theirs) ? undefined : (theirs - middle) / 1000,
  };
}

const isHealth = (text: string): boolean =>
  (tryParseJson(text) as { status?: unknown } | null | undefined)?.status === "ok";

function versionIn(text: string): string | undefined {
  const document = tryParseJson(text) as { info?: { "x-wcs-version"?: unknown } | null } | null | undefined;
  const theirs = document?.info?.["x-wcs-version"];
  return typeof theirs === "string" ? theirs : undefined;
}

/** Seconds by which clocks may differ: receivers reject callbacks whose time is five minutes off. */
const tolerated = { ok: 10, warning: 120 };

export const instanceChecks: FactChecks<Awaited<ReturnType<typeof readInstanceFacts>>> = {
  instance: ({ address, health, isOurs, ready }) => {
    if (health !== 200 || !isOurs) {
      const advice = isGatewayError(health)
        ? "A proxy answered in place of the service. Check that the service is running."
        : "Check the URL, and that no proxy answers in its place (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).";
      return failed(`${address} answers, but not like a wcs instance (status ${health}). ${advice}`);
    }
    return ready === 200
      ? ok(`${address} answers and is ready.`)
      : failed(`${address} answers, but is not ready (status ${ready}). Check its log: it may not reach its database.`);
  },
  version: ({ health, ready, version: theirs }) => {
    if (isGatewayError(health) || (isGatewayError(ready) && theirs === undefined)) return undefined;
    if (theirs === undefined)
      return warning("The instance reports no version; it may not be a wcs instance. Check the URL.");
    return theirs === version
      ? ok(`Both sides are wcs ${version}.`)
      : warning(`This is wcs ${version}, the instance is wcs ${theirs}. Use the same version on both sides.`);
  },
  clock: ({ ahead }) => {
    if (ahead === undefined) return undefined;
    const by = Math.abs(ahead);
    if (by <= tolerated.ok) return ok("The clocks of both sides agree.");
    const says = `The instance's clock is ${durationOf(by)} ${ahead > 0 ? "ahead of" : "behind"} this one.`;
    const what = `${says} Correct the wrong clock: tokens and signatures depend on it.`;
    return by <= tolerated.warning ? warning(what) : failed(what);
  },
};
