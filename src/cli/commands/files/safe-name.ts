/** Names of devices on Windows, with any extension. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const maxBytes = 200;

/** Makes an untrusted name safe for a file in the current folder: no path, no hidden file, nothing like a flag. */
export function safeName(name: string, id: number): string {
  const plain = name
    .normalize("NFC")
    // Characters that some systems do not allow in file names, and characters that reverse the direction of text.
    .replace(/[\p{Cc}\p{Bidi_Control}<>:"/\\|?*]/gu, "_")
    .replace(/^[.\-~\s]+/, "_")
    .replace(/[.\s]+$/, "");
  const kept = device.test(plain) ? `_${plain}` : plain;
  return kept === "" || kept === "_" ? `file-${id}` : shortened(kept);
}

/** Shortens the name to `maxBytes` bytes and keeps the extension; file systems limit names in bytes. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = /\.[^.]{1,16}$/.exec(name)?.[0] ?? "";
  let stem = name.slice(0, name.length - extension.length);
  while (Buffer.byteLength(stem + extension) > maxBytes) stem = [...stem].slice(0, -1).join("");
  return stem + extension;
}
