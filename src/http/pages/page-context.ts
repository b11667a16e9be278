import type { Invoke } from "../../contract/operation.ts";
import type { Exchange } from "../server/exchange.ts";
import type { PageLanguage } from "./page-texts.ts";
import type { PageTexts } from "./page-texts-en.ts";

export interface PageInstance {
  readonly name: string;
  readonly minPasswordLength: number;
}

export interface PageOptions {
  readonly invoke: Invoke;
  readonly instance: () => Promise<PageInstance>;
  /** Returns the public URL of the service, without a trailing slash. */
  readonly baseUrl: () => Promise<string>;
  readonly version: string;
}

export interface PageRequest {
  readonly options: PageOptions;
  readonly exchange: Exchange;
  readonly fields: URLSearchParams;
  readonly language: PageLanguage;
  readonly texts: PageTexts;
  /** Relative path from the page to the root of the service. */
  readonly root: string;
}

/** Returns the value of a field that is given exactly once, else an empty string. */
export function singleValue(fields: URLSearchParams, name: string): string {
  const [value = "", ...others] = fields.getAll(name);
  return others.length === 0 ? value : "";
}
