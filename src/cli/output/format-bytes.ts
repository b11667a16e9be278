const units = ["bytes", "kB", "MB", "GB", "TB"];

/** Formats a size: `640 bytes`, `1.2 MB`. */
export function bytesAsText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && size < 99.95 ? 1 : 0;
  return `${size.toFixed(digits)} ${units[unit]}`;
}
