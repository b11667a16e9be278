/** What one system or another does not take in the name of a file, and what turns the direction of text around. */
const unsafe = /[\p{Cc}\p{Bidi_Control}<>:"/\\|?*]/gu;
/** What Windows takes for a device, whatever the extension. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const mostBytes = 200;

/**
 * A name from elsewhere as one for a file in the current folder: no path, no hidden file, nothing that looks like a flag.
 */
export function safeName(name: string, id: number): string {
  const plain = name
    .normalize("NFC")
    .replace(unsafe, "_")
    .replace(/^[.\-~\s]+/, "_")
    .replace(/[.\s]+$/, "");
  const kept = device.test(plain) ? `_${plain}` : plain;
  return kept === "" || kept === "_" ? `file-${id}` : shortened(kept);
}

/** File systems count bytes; the extension stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= mostBytes) return name;
  const extension = /\.[^.]{1,16}$/.exec(name)?.[0] ?? "";
  let stem = name.slice(0, name.length - extension.length);
  while (Buffer.byteLength(stem + extension) > mostBytes) stem = [...stem].slice(0, -1).join("");
  return stem + extension;
}
