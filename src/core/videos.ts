/** The hosts whose videos can be shown along with something. */
export const hosts = {
  youtube: ["www.youtube.com", "youtube.com", "youtu.be", "youtube-nocookie.com", "www.youtube-nocookie.com"],
  vimeo: ["vimeo.com", "player.vimeo.com"],
} as const;

/** The URL of a video as it is kept; undefined unless it is https at exactly one of the hosts, without port or name. */
export function videoUrl(type: keyof typeof hosts, text: string): string | undefined {
  if (text.length > 2048) return undefined;
  const authority = /^https:\/\/([a-z.-]+)(?:[/?#]|$)/i.exec(text)?.[1]?.toLowerCase();
  const known = authority !== undefined && (hosts[type] as readonly string[]).includes(authority);
  return known && !/[\p{Cc}\s]/u.test(text) ? URL.parse(text)?.href : undefined;
}
