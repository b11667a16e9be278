/** Letters that Unicode decomposition does not reduce to a plain letter; ς is σ at the end of a word. */
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

/** Returns text in the form used for searching and for comparing names: without case, accents and Unicode variants. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[øæœßłđðþıς]/g, (letter) => plain[letter] ?? letter);
}
