/** Returns the first of these BCP 47 tags whose language is supported, else English. */
export function chooseLanguage<L extends string>(
  supported: Readonly<Record<L | "en", unknown>>,
  tags: readonly (string | null)[],
): L | "en" {
  const isSupported = (language: string): language is L => Object.hasOwn(supported, language);
  return tags.map((tag) => tag?.toLowerCase().split("-")[0] ?? "").find(isSupported) ?? "en";
}
