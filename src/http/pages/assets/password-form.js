// Adds to the form: the strength of the password, a comparison of the two while typing, and showing them.
const form = document.getElementById("password-form");
const [password, again, show, meter, strength, match] = [
  "password",
  "password_confirm",
  "show",
  "meter",
  "strength",
  "match",
].map((id) => document.getElementById(id));
const levels = form.dataset.levels.split("|");

/** Estimates the strength, 0 to 3, by length and variety. The server decides. */
function levelOf(text) {
  const length = [...text].length;
  if (length < Number(form.dataset.min)) return 0;
  const variety = new Set(text.toLowerCase()).size;
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(text)).length;
  const score = Math.min(length, 2 * variety) + 2 * kinds;
  return score < 14 ? 1 : score < 20 ? 2 : 3;
}

password.addEventListener("input", () => {
  const level = levelOf(password.value);
  meter.value = level;
  strength.value = password.value === "" ? "" : levels[level];
});

// Compares while typing and not when the input loses the focus, because a click on the button must not move the button.
function compare() {
  match.textContent = password.value.startsWith(again.value) ? "" : form.dataset.different;
}
again.addEventListener("input", compare);
password.addEventListener("input", compare);

show.addEventListener("change", () => {
  for (const input of [password, again]) input.type = show.checked ? "text" : "password";
});

for (const element of document.querySelectorAll(".enhanced")) element.hidden = false;
document.getElementById("errors")?.focus();
