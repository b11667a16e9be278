import {
  chmodSync,
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { createVitest, type Reporter, type TestModule, type TestSpecification, type Vitest } from "vitest/node";
import { defaultFolders, testsOf } from "./mutation-suites.ts";

/** Counts the changes of the source that no test notices. CONTRIBUTING.md says how to use it. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "Infinity" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    tests: { type: "string", multiple: true },
    sqlite: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
/** A copy of the project with all mutants in it, of which a file names the active one. */
const sandbox = mkdtempSync(join(root, ".mutation-"));
// Tests that run as another user read it, too.
chmodSync(sandbox, 0o755);
const activeFile = join(sandbox, "active-mutant");
/** Beginning of the names of files that reached-mutants.ts reads. */
const reachedFile = join(sandbox, "reached-");

const print = (line: string) => process.stdout.write(`${line}\n`);
const silent = () => {};
const disabled = () => false;
const logger = {
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
  isTraceEnabled: disabled,
  isDebugEnabled: disabled,
  isInfoEnabled: disabled,
  isWarnEnabled: disabled,
  isErrorEnabled: disabled,
  isFatalEnabled: disabled,
};

type Mutant = Awaited<ReturnType<Instrumenter["instrument"]>>["mutants"][number];

/** Copies the project and puts the mutants of some files into the copy. */
async function plantMutants(names: readonly string[]): Promise<readonly Mutant[]> {
  const left = /^(node_modules|dist|coverage|\.git|\.mutation-.*)$/;
  for (const name of readdirSync(root).filter((name) => !left.test(name))) {
    cpSync(join(root, name), join(sandbox, name), { recursive: true });
  }
  // Without the bundles that tests keep in hidden folders there: those of the copy have the mutants in them.
  const packages = join(root, "node_modules");
  cpSync(join(packages, ".bin"), join(sandbox, "node_modules/.bin"), { recursive: true });
  for (const name of globSync("*", { cwd: packages }))
    symlinkSync(join(packages, name), join(sandbox, "node_modules", name));
  writeFileSync(activeFile, "");
  const sources = names.map((name) => ({ name, mutate: true, content: readFileSync(join(root, name), "utf8") }));
  // Texts are messages, SQL and names: emptied, they break at once or change only words. Logic around them is mutated.
  const options = { plugins: null, excludedMutations: ["StringLiteral"], ignorers: [], noHeader: false };
  const { files, mutants } = await new Instrumenter(logger).instrument(sources, options);
  // A file reaches the programs that tests start, too; they have an environment of their own.
  const active = `g.process.getBuiltinModule("node:fs").readFileSync(${JSON.stringify(activeFile)}, "utf8")`;
  for (const { name, content } of files) {
    const text = content.replaceAll("g.process.env.__STRYKER_ACTIVE_MUTANT__", active);
    writeFileSync(join(sandbox, name), text);
  }
  // Programs that tests start say at their end which mutants they reached: in a file with the name of the test's process.
  const bin = readFileSync(join(root, "bin/wcs.js"), "utf8");
  const report = `process.on("exit", () => process.getBuiltinModule("node:fs").appendFileSync(
    ${JSON.stringify(reachedFile)} + process.ppid,
    Object.keys(globalThis.__stryker__?.mutantCoverage?.static ?? {}).join(" ") + " "));`;
  writeFileSync(
    join(sandbox, "bin/wcs.js"),
    bin.replace("\n", () => `\n${report}\n`),
  );
  return mutants;
}

/** Returns a random sample. Equal seeds give equal samples. */
function sampleOf<T>(items: readonly T[], size: number, seed: number): T[] {
  let state = seed;
  // mulberry32
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, size)
    .map(({ item }) => item);
}

/** The first failure with the active mutant. Kept here, because a run that is cancelled may end without this result. */
let firstFailure: string | undefined;

/** Ends when the last run is cancelled. Until then, Vitest starts no tests of the next. */
let cancelled: Promise<unknown> = Promise.resolve();

async function startVitest(): Promise<Vitest> {
  process.chdir(sandbox);
  // The first failure decides, of a test or of a hook, without waiting for the rest of its file, which may hang.
  const end = (module: TestModule) => {
    if (firstFailure !== undefined || module.project.config.bail !== 1) return;
    firstFailure = failureOf(module);
    // The second call ends the processes without waiting for their hooks.
    cancelled = Promise.all([vitest.cancelCurrentRun("test-failure"), vitest.cancelCurrentRun("test-failure")]);
  };
  const reporter: Reporter = {
    onTestCaseResult: (test) => void (test.result().state === "failed" && end(test.module)),
    onTestModuleEnd: (module) => void (module.state() === "failed" && end(module)),
  };
  const options = { root: sandbox, watch: false, reporters: [reporter], maxWorkers: Number(values.workers) };
  const vitest = await createVitest(options);
  const setup = join(sandbox, "test/support/reached-mutants.ts");
  for (const { config } of vitest.projects) {
    config.setupFiles.push(setup);
    if (values.sqlite) config.testNamePattern = /^(?!.*(\(postgres|PostgreSQL))/;
  }
  vitest.config.sequence.sequencer = class {
    shard = async (files: TestSpecification[]) => files;
    sort = async (files: TestSpecification[]) => files;
  };
  return vitest;
}

interface TestFile {
  readonly specification: TestSpecification;
  readonly milliseconds: number;
  /** Milliseconds of its longest test. */
  readonly longest: number;
  readonly reached: ReadonlySet<string>;
  /** Mutants that this file killed so far, counted by source file. */
  readonly kills: Map<string, number>;
}

/** Test files without which the scores are too low, because they fail without a mutant. */
const leftOut: string[] = [];

/** Runs the tests without a mutant. Returns the mutants that each file reaches. Leaves out files that fail. */
async function measure(vitest: Vitest, filters: readonly string[]): Promise<TestFile[]> {
  const specifications = await vitest.globTestSpecifications([...filters]);
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const files: TestFile[] = [];
  for (const specification of specifications) {
    const module = testModules.find(({ moduleId }) => moduleId === specification.moduleId);
    if (module?.state() === "failed") leftOut.push(failureOf(module));
    if (module?.state() !== "passed") continue;
    const { duration, collectDuration } = module.diagnostic();
    const reached = new Set(module.meta().reachedMutants);
    const longest = Math.max(0, ...module.children.allTests().map((test) => test.diagnostic()?.duration ?? 0));
    files.push({ specification, milliseconds: duration + collectDuration, longest, reached, kills: new Map() });
  }
  return files;
}

/**
 * Returns the files to run for a mutant: those that reach it and, after them, those that reach its source file, because of files
 * that share modules only the first reaches what runs once. First come those that are fast, reach much of the source file, and
 * killed other mutants of it.
 */
function filesFor(mutant: Mutant, tests: readonly TestFile[], siblings: readonly Mutant[]): TestFile[] {
  const costs = new Map<TestFile, number>();
  for (const test of tests) {
    const reached = siblings.filter(({ id }) => test.reached.has(id)).length;
    const kills = test.kills.get(mutant.fileName) ?? 0;
    if (reached > 0) costs.set(test, test.milliseconds / (reached * (1 + 4 * kills)));
  }
  const sorted = [...costs].toSorted(([, a], [, b]) => a - b).map(([test]) => test);
  const reaching = sorted.filter(({ reached }) => reached.has(mutant.id));
  return reaching.length > 0 ? [...new Set([...reaching, ...sorted])] : [];
}

function failureOf(module: TestModule): string {
  const [test] = module.children.allTests("failed");
  const hooks = [...module.children.allSuites()].flatMap((suite) => suite.errors());
  const error = [...(test?.result().errors ?? []), ...module.errors(), ...hooks][0]?.message ?? "";
  return `${relative(sandbox, module.moduleId)}: ${test?.fullName ?? ""} (${error.split("\n")[0]?.slice(0, 80)})`;
}

/** Files that run one after the other before all others. Most mutants fail in one of these, and the others would run in vain. */
const likelyFiles = 4;

/** Returns the first failure with a mutant; undefined when no test fails. */
async function killerOf(vitest: Vitest, mutant: Mutant, tests: readonly TestFile[]): Promise<string | undefined> {
  const likely = await failureIn(vitest, mutant, tests.slice(0, likelyFiles), 1);
  return likely ?? failureIn(vitest, mutant, tests.slice(likelyFiles), Number(values.workers));
}

async function failureIn(vitest: Vitest, mutant: Mutant, tests: readonly TestFile[], workers: number) {
  const files = tests.map(({ specification }) => specification);
  // Mutants make tests wait for what never happens.
  const limit = Math.max(20_000, ...tests.map(({ longest }) => 5 * longest));
  const limits = { testTimeout: limit, hookTimeout: limit, expect: { poll: { timeout: limit / 2 } } };
  for (const { config } of vitest.projects) Object.assign(config, { bail: 1, maxWorkers: workers, ...limits });
  for (let attempt = 1; files.length > 0; attempt++) {
    writeFileSync(activeFile, mutant.id);
    // Results of earlier runs remain for files that this run does not reach.
    vitest.state.filesMap.clear();
    firstFailure = undefined;
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files);
    await cancelled;
    writeFileSync(activeFile, "");
    if (firstFailure !== undefined) return firstFailure;
    // Not every error that Vitest passes on can be converted to a text.
    const [error] = unhandledErrors.map((error) => String((error as Partial<Error>).message));
    // A worker that ends late cancels the next run as well, whose tests then neither pass nor fail. A busy machine may be
    // too slow to start a process. Neither says anything about the mutant.
    const isComplete = testModules.every((module) => module.state() === "passed");
    if (isComplete && !error?.includes("[vitest-pool")) return error;
    if (attempt === 3) return `no complete run (${error ?? "cancelled"})`;
  }
  return undefined;
}

const describe = ({ fileName, location: { start }, mutatorName, replacement }: Mutant) =>
  `${fileName}:${start.line + 1}:${start.column + 1} ${mutatorName} -> ${replacement.replace(/\s+/g, " ").slice(0, 100)}`;

interface Run {
  readonly vitest: Vitest;
  /** Those of the path. */
  readonly tests: readonly TestFile[];
  readonly all: readonly TestFile[];
  readonly mutants: readonly Mutant[];
}

type Counts = Record<"killed" | "survived" | "unreached", number>;

async function tryMutant(mutant: Mutant, { vitest, tests, all, mutants }: Run): Promise<keyof Counts> {
  const siblings = mutants.filter(({ fileName }) => fileName === mutant.fileName);
  const own = filesFor(mutant, tests, siblings);
  // Code that runs once may have been reached first by a file of another path.
  const files = own.length > 0 ? own : filesFor(mutant, all, siblings);
  const killer = files.length > 0 ? await killerOf(vitest, mutant, files) : undefined;
  const outcome = killer ? "killed" : files.length > 0 ? "survived" : "unreached";
  const file = files.find(({ specification }) => killer?.startsWith(`${relative(sandbox, specification.moduleId)}:`));
  file?.kills.set(mutant.fileName, (file.kills.get(mutant.fileName) ?? 0) + 1);
  print(`${outcome.padEnd(9)} ${describe(mutant)}${killer ? ` | ${killer}` : ""}`);
  return outcome;
}

async function main(): Promise<void> {
  const paths = positionals.length > 0 ? positionals.map((path) => relative("", path)) : defaultFolders;
  const filters = values.tests ?? testsOf(paths);
  const patterns = paths.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.ts`));
  const names = globSync(patterns, { cwd: root }).toSorted();
  const outcomes = new Map(paths.map((path) => [path, { killed: 0, survived: 0, unreached: 0 }]));
  // Ctrl-C ends with the scores so far.
  process.on("exit", () => {
    rmSync(sandbox, { recursive: true, force: true });
    for (const [path, { killed, survived, unreached }] of outcomes) {
      const tried = killed + survived + unreached;
      const score = tried > 0 ? `${Math.round((killed * 100) / tried)} %` : "unknown";
      print(`${path}: ${killed} killed, ${survived} survived, ${unreached} unreached; score ${score}.`);
    }
    for (const failure of leftOut)
      print(`Scores are too low without this file, which fails without a mutant: ${failure}`);
  });
  const mutants = (await plantMutants(names)).filter(({ status }) => status === undefined);
  const vitest = await startVitest();
  const tests = await measure(vitest, filters);
  print(`${mutants.length} mutants; ${tests.length} test files, ${leftOut.length} left out.`);
  const samples: { readonly mutant: Mutant; readonly at: number; readonly run: Run; readonly counts: Counts }[] = [];
  for (const [path, counts] of outcomes) {
    const suite = await vitest.globTestSpecifications(values.tests ?? testsOf([path]));
    const ofPath = new Set(suite.map(({ moduleId }) => moduleId));
    const ofSuite = tests.filter(({ specification }) => ofPath.has(specification.moduleId));
    const run = { vitest, tests: ofSuite, all: tests, mutants };
    const within = mutants.filter(({ fileName }) => fileName === path || fileName.startsWith(`${path}/`));
    const sample = sampleOf(within, Number(values.sample), Number(values.seed));
    samples.push(...sample.map((mutant, at) => ({ mutant, at, run, counts })));
  }
  // By turns, so that the paths have about as many results each when the run is ended early.
  for (const { mutant, run, counts } of samples.toSorted((a, b) => a.at - b.at))
    counts[await tryMutant(mutant, run)] += 1;
  await vitest.close();
}

await main();
