const hosts = {
  youtube: ["www.youtube.com", "youtube.com", "youtu.be", "youtube-nocookie.com", "www.youtube-nocookie.com"],
  vimeo: ["vimeo.com", "player.vimeo.com"],
} as const;

/** Returns the stored form of a video's URL; undefined unless it is https on one of the hosts, without port or user name. */
export function videoUrl(type: keyof typeof hosts, text: string): string | undefined {
  if (text.length > 2048) return undefined;
  const authority = /^https:\/\/([a-z.-]+)(?:[/?#]|$)/i.exec(text)?.[1]?.toLowerCase();
  const known = authority !== undefined && (hosts[type] as readonly string[]).includes(authority);
  return known && !/[\p{Cc}\s]/u.test(text) ? URL.parse(text)?.href : undefined;
}

export const videoIssue = (type: keyof typeof hosts, text: string): string | undefined =>
  videoUrl(type, text) ? undefined : `must be a URL that begins with https:// and one of ${hosts[type].join(", ")}`;
