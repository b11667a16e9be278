/** Letters that a decomposition does not reduce to a plain one; ς is how σ is written at the end of a word. */
const plain: Record<string, string> = {
  ø: "o",
  æ: "ae",
  œ: "oe",
  ß: "ss",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ς: "σ",
};

/** Text as it is compared when searching: without case, accents and differences of Unicode form. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[øæœßłđðþıς]/g, (letter) => plain[letter] ?? letter);
}

/** The folded words of a text in their order: runs of letters and digits. */
export function tokens(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Likewise, each once. */
export function words(text: string): string[] {
  return [...new Set(tokens(text))];
}

/** An e-mail address as it is compared: two that differ in case only are the same. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}
