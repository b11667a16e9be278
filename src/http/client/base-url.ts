import { ServiceError } from "../../contract/errors.ts";

/** Address of a service. `prefix` is the path before `/api`, without a trailing slash. */
export interface Base {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  readonly origin: string;
  readonly prefix: string;
}

/** Parses a URL; undefined when it is not one. `URL.parse` is not in every environment that the client package supports. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** Parses a base URL. A trailing slash or `/api` is ignored. */
export function baseOf(text: string): Base {
  const url = parseUrl(text.trim());
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // The URL is not repeated, because it may hold a password.
    throw wrong("The URL of the service does not begin with http:// or https:// and a host.");
  }
  if (url.username || url.password) throw wrong(`The URL of ${url.origin} must not hold a name or password.`);
  if (url.search || url.hash) throw wrong(`The URL of ${url.origin} must end with its path, without ? or #.`);
  const secure = url.protocol === "https:";
  return {
    secure,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (secure ? 443 : 80),
    origin: url.origin,
    prefix: url.pathname.replace(/(\/+api)?\/*$/, ""),
  };
}

function wrong(message: string): ServiceError {
  return new ServiceError("unavailable", message, { hint: "Give a URL like https://wcs.example.com." });
}
