import { existsSync, readFileSync, rmSync } from "node:fs";
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
// Files share the process. The code keeps this object, so only its content is replaced.
if (state.mutantCoverage) state.mutantCoverage.static = {};
const ofPrograms = join(import.meta.dirname, `../../reached-${process.pid}`);
rmSync(ofPrograms, { force: true });

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the pattern.
afterAll(({}, file) => {
  const theirs = existsSync(ofPrograms) ? readFileSync(ofPrograms, "utf8").trim().split(/\s+/) : [];
  file.meta.reachedMutants = [...Object.keys(state.mutantCoverage?.static ?? {}), ...theirs];
});
