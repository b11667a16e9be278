interface Described {
  readonly info: { readonly contact?: object };
}

/** Returns the document of an instance. `url` is that of the service without `/api`. Default: the origin of the document. */
export function ofInstance<D extends Described>(document: D, { version, url }: { version: string; url: string }) {
  const { info } = document;
  const contact = { ...info.contact, ...(url && { url }) };
  return { ...document, info: { ...info, "x-wcs-version": version, contact }, servers: [{ url: url || "/" }] };
}
