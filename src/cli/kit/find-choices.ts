import { posts } from "../../contract/posts.ts";
import { isNamed, takesChoices } from "./field-flags.ts";
import { withScopeHint } from "./find-by-name.ts";
import { findNamedPart } from "./find-named-part.ts";
import { givenIn, wordOf } from "./read-input.ts";
import type { OperationInput } from "./read-line.ts";

/** Replaces the texts of poll choices on the line by their IDs, in an input that has the ID of the post. */
export async function placeChoices({ spec, line, input, connect }: OperationInput): Promise<void> {
  const place = spec.places.find((each) => takesChoices(each.field) && isNamed(each.field, givenIn(each, line)));
  if (place === undefined) return;
  const caller = await connect();
  const { poll } = await caller.call(posts.get, { id: Number(input.id) }).catch((error) => {
    throw withScopeHint(error, "texts", posts.get);
  });
  const parts = (poll?.choices ?? []).map(({ id, title }) => ({ id, name: title }));
  const search = { label: wordOf(place, line), noun: "choice", owner: `the poll of post ${input.id}`, parts };
  // A text may contain commas; IDs may be separated by them.
  const texts = [givenIn(place, line)].flat().map((text) => String(text).trim());
  input[place.field.name] = texts.flatMap((text) =>
    /^[\d,]+$/.test(text) ? text.split(",").filter(Boolean).map(Number) : findNamedPart(text, search),
  );
}
