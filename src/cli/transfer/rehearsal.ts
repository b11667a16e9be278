import { hash } from "node:crypto";
import { leftOut, type Outcome } from "./outcome.ts";
import type { Row } from "./rows.ts";

/**
 * What the earlier parts of a dry run would have made. The service has taken each part back before it sees the next, so
 * what later rows would have found is remembered here.
 */
export interface Rehearsal {
  /** What the service has to be told for these rows. */
  inputFor(rows: readonly Row[]): Record<string, unknown>;
  /** The outcome of a row, with the earlier parts in mind. */
  judge(line: number, row: Row, outcome: Outcome): Outcome;
  /** Ends a part: what came in it is from now on earlier. */
  next(): void;
}

interface Made {
  readonly line: number;
  readonly part: number;
  /** Of all that the row says. */
  readonly print: string;
  /** Of the reference that it has then. */
  readonly reference: string | undefined;
}

const printOf = (text: string) => hash("sha1", text, "base64");
const rowPrint = (row: Row) => printOf(JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** For users, who are known by reference, or else by e-mail address. */
export function rehearseUsers(): Rehearsal {
  const byReference = new Map<string, Made>();
  const byEmail = new Map<string, Made>();
  let part = 0;
  const earlier = (made: Made | undefined) => (made && made.part < part ? made : undefined);
  return {
    inputFor: () => ({}),
    judge(line, row, outcome) {
      if (outcome.action === "left out") return outcome;
      const reference = textOf(row.reference);
      const email = printOf(String(row.email).normalize("NFC").toLowerCase());
      const key = reference && printOf(reference);
      const holder = earlier(byEmail.get(email));
      const same = key === undefined ? holder : earlier(byReference.get(key));
      if (key !== undefined && holder !== undefined && holder.reference !== key) {
        return leftOut({ email: [`is taken by line ${holder.line}`] }, outcome.reference);
      }
      const judged = same ? repeated(same, row, outcome) : outcome;
      if (judged.action !== "unchanged") {
        // An empty reference clears the one that there was.
        const kept = row.reference === undefined ? same?.reference : undefined;
        const made = { line, part, print: rowPrint(row), reference: key ?? kept };
        if (same?.reference !== undefined && same.reference !== made.reference) byReference.delete(same.reference);
        if (made.reference !== undefined) byReference.set(made.reference, made);
        byEmail.set(email, made);
      }
      return judged;
    },
    next() {
      part += 1;
    },
  };
}

/** For units, known by reference; the service takes on trust that their parents are there. */
export function rehearseUnits(): Rehearsal {
  const made = new Map<string, Made>();
  let part = 0;
  return {
    inputFor(rows) {
      const named = new Set(rows.flatMap(({ reference, parent }) => [textOf(reference) ?? "", textOf(parent) ?? ""]));
      return { assume: [...named].filter((reference) => made.has(reference)) };
    },
    judge(line, row, outcome) {
      const reference = textOf(row.reference);
      if (outcome.action === "left out" || reference === undefined) return outcome;
      const before = made.get(reference);
      const judged = before && before.part < part ? repeated(before, row, outcome) : outcome;
      if (judged.action !== "unchanged") made.set(reference, { line, part, print: rowPrint(row), reference });
      return judged;
    },
    next() {
      part += 1;
    },
  };
}

/** The outcome of a row about what an earlier row has made or changed. */
function repeated(before: Made, row: Row, outcome: Outcome): Outcome {
  return { ...outcome, action: before.print === rowPrint(row) ? "unchanged" : "changed" };
}
