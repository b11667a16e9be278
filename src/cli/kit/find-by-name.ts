import { ServiceError } from "../../contract/errors.ts";
import { type NamedKind, referenceNouns } from "../../contract/field-metadata.ts";
import type { Field } from "../../contract/field-spec.ts";
import { maxTextLength, maxTexts, type NameMatch, names } from "../../contract/names.ts";
import type { AnyOperation, Caller } from "../../contract/operation.ts";
import { capitalize, UsageError } from "../errors/cli-errors.ts";
import { describeAmbiguity, describeMatch, listMatches } from "../output/ambiguous-name.ts";
import type { Choice } from "../terminal/prompts.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Dialog, WizardRun } from "./command-spec.ts";
import { waysToName } from "./field-flags.ts";
import { isId } from "./parse-value.ts";
import type { NamesFound } from "./shown-names.ts";

/** The things that a flag or argument names: by ID, name, reference, e-mail address or `me`. */
interface NamedThings {
  readonly label: string;
  readonly kind: NamedKind;
  readonly texts: readonly string[];
}

/** A text that names nothing, or several things. */
interface Mismatch extends Omit<NamedThings, "texts"> {
  readonly sentence: string;
  /** The next step, for a text that names several things. */
  readonly hint?: string;
}

/**
 * Looks up names in one request and returns the IDs of each entry. Asks which of several matches is meant; throws one error
 * for all others. Adds the names of what it found to `names`.
 */
export async function findByName(
  given: readonly NamedThings[],
  { caller, terminal }: Dialog,
  names: NamesFound = new Map(),
): Promise<number[][]> {
  const matches = await lookUp(given, caller);
  const mismatches: Mismatch[] = [];
  const found: number[][] = [];
  for (const { label, kind, texts } of given) {
    const ids = new Set<number>();
    const addresses: string[] = [];
    for (const text of new Set(texts.map((each) => each.trim()))) {
      const candidates = matches.filter((each) => each.kind === kind && each.text === text);
      const same = candidates.filter(({ match }) => match !== "similar");
      const isAmbiguous = same.length > 1;
      const id = isId(text) ? Number(text) : isAmbiguous ? await choose(kind, text, same, terminal) : same[0]?.id;
      const chosen = same.find((each) => each.id === id);
      if (chosen) names.set(`${kind} ${id}`, chosen.name);
      if (id !== undefined) ids.add(id);
      else if (!isAmbiguous && isAddress(kind, text)) addresses.push(text);
      else {
        const about = isAmbiguous ? describeAmbiguity(kind, text, same) : { sentence: missing(kind, text, candidates) };
        mismatches.push({ label, kind, ...about });
      }
    }
    if (addresses.length > 0) mismatches.push({ label, kind, sentence: noneVisible(addresses) });
    found.push([...ids]);
  }
  if (mismatches.length > 0) throw mismatchError(mismatches);
  return found;
}

/** Returns the IDs of the things that one flag or argument names. */
export async function findSeveral(kind: NamedKind, label: string, texts: readonly string[], dialog: Dialog) {
  const [ids = []] = await findByName([{ label, kind, texts }], dialog);
  return ids;
}

export async function findOneByName(kind: NamedKind, label: string, text: unknown, dialog: Dialog): Promise<number> {
  const [id = 0] = await findSeveral(kind, label, [String(text)], dialog);
  return id;
}

/** Asks for one thing of a kind, by typing its name. Offers the first ones before anything is typed. */
export async function chooseByName(kind: NamedKind, question: string, dialog: Dialog): Promise<number> {
  return (await dialog.terminal.ask()).search(`${question}:`, (text) => choicesFor(kind, text, dialog));
}

/**
 * Asks for any number of things of a kind, one after the other, by typing their names, and records them as values of the flag.
 * `none` says what no choice means; undefined is returned then.
 */
export async function chooseSeveral(
  kind: NamedKind,
  flag: string,
  question: string,
  none: string,
  run: WizardRun,
): Promise<number[] | undefined> {
  const ask = await run.terminal.ask();
  const ids: number[] = [];
  for (;;) {
    const stop: Choice<number | undefined> = { name: ids.length === 0 ? none : "No more", value: undefined };
    const id = await ask.search<number | undefined>(`${question}:`, async (text) => {
      const found = (await choicesFor(kind, text, run)).filter(({ value }) => !ids.includes(value));
      return text === "" ? [stop, ...found] : found;
    });
    if (id !== undefined) ids.push(id);
    else if (ids.length === 0) return undefined;
    else {
      run.record(flag, ids.join(","));
      return ids;
    }
  }
}

async function choicesFor(kind: NamedKind, text: string, { caller }: Dialog): Promise<Choice<number>[]> {
  const texts = text === "" ? {} : { texts: [text.slice(0, maxTextLength)] };
  const { data } = await caller.call(names.find, { ...texts, kinds: [kind] });
  return data.map((match) => ({ name: sanitizeLine(describeMatch(match)), value: match.id }));
}

/** Asks for the things that a field takes: one by typing its name, several by their names, separated by commas. */
export async function chooseNamed(kind: NamedKind, field: Field, dialog: Dialog): Promise<unknown> {
  const { terminal } = dialog;
  const question = field.description ?? capitalize(referenceNouns[kind]);
  if (field.kind !== "array") return chooseByName(kind, question, dialog);
  for (;;) {
    const answer = await (await terminal.ask()).text(`${question} (separated by commas):`, (text) =>
      text.trim() === "" ? "Enter a value" : true,
    );
    try {
      return await findSeveral(kind, "", answer.split(","), dialog);
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof ServiceError)) throw error;
      terminal.note(error.message);
    }
  }
}

async function lookUp(given: readonly NamedThings[], caller: Caller): Promise<NameMatch[]> {
  const named = given.flatMap(({ kind, texts }) =>
    texts.map((text) => ({ kind, text: text.trim() })).filter(({ text }) => !isId(text) && isName(text)),
  );
  const kinds = [...new Set(named.map(({ kind }) => kind))];
  const texts = [...new Set(named.map(({ text }) => text))];
  const matches: NameMatch[] = [];
  for (let at = 0; at < texts.length; at += maxTexts) {
    const some = { texts: texts.slice(at, at + maxTexts), kinds };
    const { data } = await caller.call(names.find, some).catch((error) => {
      throw withScopeHint(error, "names", names.find);
    });
    matches.push(...data);
  }
  return matches;
}

/** Adds a hint to the error of the operation that finds IDs, when an API token may not call it. */
export function withScopeHint(error: unknown, given: string, { name }: AnyOperation): unknown {
  if (!(error instanceof ServiceError) || error.code !== "forbidden") return error;
  const hint = `Give IDs in place of ${given}, or use an API token whose scopes include ${name}.`;
  return new ServiceError("forbidden", error.message, { hint, cause: error });
}

const isName = (text: string) => text !== "" && text.length <= maxTextLength && sanitizeLine(text) === text;

async function choose(
  kind: NamedKind,
  text: string,
  candidates: readonly NameMatch[],
  terminal: Terminal,
): Promise<number | undefined> {
  if (!terminal.interactive) return undefined;
  const choices = candidates.map((each) => ({ name: sanitizeLine(describeMatch(each)), value: each.id }));
  return (await terminal.ask()).pick(`Which ${referenceNouns[kind]} called ${text}?`, choices);
}

const isAddress = (kind: NamedKind, text: string): boolean =>
  kind === "users" && isName(text) && text.includes("@") && !text.startsWith("ref:");

const noneVisible = (addresses: readonly string[]): string =>
  `no user with the e-mail address ${addresses.join(" or ")} is visible to you; a reference with @ begins with ref:`;

function missing(kind: NamedKind, text: string, similar: readonly NameMatch[]): string {
  const noun = referenceNouns[kind];
  if (!isName(text)) return `'${text.slice(0, 80)}' names no ${noun}`;
  const reference = /^ref:(.*)/s.exec(text)?.[1];
  if (reference === "") return "there is no reference after ref:";
  if (reference !== undefined) return `no ${noun} has the reference ${reference}`;
  return `no ${noun} is called ${text}${similar.length > 0 ? `; similar names: ${listMatches(similar)}` : ""}`;
}

function mismatchError(mismatches: readonly Mismatch[]): Error {
  const byLabel = Map.groupBy(mismatches, ({ label }) => label);
  const message = [...byLabel]
    .map(([label, own]) => `${label && `${label}: `}${own.map(({ sentence }) => sentence).join("; ")}`)
    .join("; ");
  const hints = [...new Set(mismatches.flatMap(({ hint }) => hint ?? []))];
  if (hints.length > 0) return new UsageError(message, { hint: hints.join("; ") });
  const ways = [...new Set(mismatches.map(({ kind }) => `Give the ${referenceNouns[kind]} by ${waysToName[kind]}.`))];
  return new ServiceError("not_found", `${message}.`, { hint: `${ways.join(" ")} Find names with wcs names find.` });
}
