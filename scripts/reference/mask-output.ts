/** Texts that differ each time, each with what the reference shows in its place. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "eyJ…"],
  [/\bwhsec_[A-Za-z0-9+/]+=*/g, "whsec_…"],
  [/\bwcs_[0-9A-Za-z]{49}/g, "wcs_…"],
  [/\bmsg_[\w-]{12,}/g, "msg_…"],
  [/\bv1,[A-Za-z0-9+/]{43}=/g, "v1,…"],
  [/\b[0-9a-f]{64}\b/g, "…"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "…"],
  [/(?<key>"duration_ms": ?|duration_ms +)\d+/g, "$<key>12"],
  [/"date": ?"[^"]+ GMT"/g, '"date": "…"'],
  [/"(next|cursor|next_cursor)": ?"[\w-]{16,}"/g, '"$1": "…"'],
];

/** Returns a text with secrets, random IDs and durations replaced, so that it is the same each time. */
export function mask(text: string): string {
  return masks.reduce((masked, [pattern, shown]) => masked.replace(pattern, shown), text);
}
