import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";

interface StrykerState {
  /** Counts evaluations of the active mutant; above the limit, code throws, because a loop may not end. */
  hitCount: number;
  hitLimit: number;
  mutantCoverage?: { static: Record<string, number> };
}

declare module "vitest" {
  interface TaskMeta {
    /** IDs of the mutants that a test file reaches. */
    reachedMutants?: string[];
  }
}

/** The global through which mutated code and a test runner exchange data (@stryker-mutator/instrumenter). */
const scope = globalThis as { __stryker__?: Partial<StrykerState> };
scope.__stryker__ ??= {};
const state = scope.__stryker__;
state.hitCount = 0;
state.hitLimit = 5_000_000;

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the pattern.
afterAll(({}, file) => {
  const ofPrograms = join(import.meta.dirname, `../../reached-${process.pid}`);
  const theirs = existsSync(ofPrograms) ? readFileSync(ofPrograms, "utf8").trim().split(/\s+/) : [];
  file.meta.reachedMutants = [...Object.keys(state.mutantCoverage?.static ?? {}), ...theirs];
});
