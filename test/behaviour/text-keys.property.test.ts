import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../../src/contract/fold-text.ts";
import { emailKey, words } from "../../src/core/directory/text-keys.ts";
import { afterPrefix } from "../../src/store/dialect.ts";
import { tries } from "../support/effort.ts";

const text = fc.string({ unit: "grapheme", maxLength: 30 });
/** Letters of several scripts. */
const name = fc.string({
  unit: fc.constantFrom(..."abcdeåäæéïñøöœüßłđþžığκΣςЖйد中あ한'- .0123456789A\u0301\u030a"),
  maxLength: 20,
});
const anyText = fc.oneof(text, name);

function holds(of: fc.Arbitrary<string>, check: (each: string) => unknown): void {
  fc.assert(
    fc.property(of, (each) => {
      check(each);
    }),
    { numRuns: tries(500) },
  );
}

describe("text keys", () => {
  it("fold: folding again changes nothing", () => {
    holds(anyText, (each) => expect(fold(fold(each))).toBe(fold(each)));
  });

  it("fold ignores case", () => {
    holds(name, (each) => expect(fold(each.toUpperCase())).toBe(fold(each)));
    holds(name, (each) => expect(fold(each.toLowerCase())).toBe(fold(each)));
  });

  it("fold ignores the form of Unicode", () => {
    for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const) {
      holds(anyText, (each) => expect(fold(each.normalize(form))).toBe(fold(each)));
    }
  });

  it("fold: the beginning of a text folds to a beginning", () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(fold(`${one} ${other}`)).toBe(`${fold(one)} ${fold(other)}`);
        expect(fold(`${one}${other}`).startsWith(fold(one))).toBe(true);
      }),
    );
  });

  it("words returns folded words without blanks, each once", () => {
    fc.assert(
      fc.property(anyText, (each) => {
        const found = words(each);
        expect(new Set(found).size).toBe(found.length);
        for (const word of found) {
          expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
          expect(words(word)).toEqual([word]);
        }
      }),
    );
  });

  it("words of two texts are those of both", () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(new Set(words(`${one} ${other}`))).toEqual(new Set([...words(one), ...words(other)]));
      }),
    );
  });

  it("emailKey ignores case, and doing it again changes nothing", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        expect(emailKey(email.toUpperCase())).toBe(emailKey(email));
        expect(emailKey(emailKey(email))).toBe(emailKey(email));
      }),
    );
  });

  it("afterPrefix: exactly the texts with the prefix are between", () => {
    const letters = fc.constantFrom(..."ab\u00ff\u{ffff}\u{1f96a}\u{10fffe}");
    const word = fc.string({ unit: letters, maxLength: 5 });
    const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
    const prefixes = fc.string({ unit: letters, minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(prefixes, word, (prefix, each) => {
        const between = compare(each, prefix) >= 0 && compare(each, afterPrefix(prefix)) < 0;
        expect(between).toBe(each.startsWith(prefix));
        expect(compare(prefix + each, afterPrefix(prefix))).toBeLessThan(0);
      }),
    );
  });
});
