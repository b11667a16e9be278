/** Returns whether a text is the URL of a service or a file, and not a path or the address of a database. */
export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** Returns whether a URL has a query, a fragment or credentials, which no base URL has. */
export const hasMoreThanPath = (url: string): boolean => /[?#]|^\w+:\/*[^/]*@/.test(url);

/** Removes slashes and /api from the end of a base URL. */
export const withoutApi = (url: string): string => url.replace(/(?<=[^:/])(\/+api)?\/*$/, "");
