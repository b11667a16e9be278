import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { operationGroups } from "../../src/contract/operation-groups.ts";

const root = resolve(import.meta.dirname, "../..");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wcs-client-types-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the lines of the compiler. */
async function compile(project: string): Promise<string[]> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", project]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout.split("\n").filter(Boolean);
}

it("the package's types stand alone, accept what operations take, and refuse everything else", async () => {
  expect(await compile(join(import.meta.dirname, "consumer"))).toEqual([]);
});

it("the package's types are those of the contract", async () => {
  const operations = await allOperations();
  const groups = Object.keys(operationGroups);
  const nameOf = (name: string) => name.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase());
  const checks = operations.map((op) => {
    const [group, verb] = op.name.split(".");
    const type = `typeof ${group}["${verb}"]`;
    // Files are bytes to the service, and a response to the client.
    const output = op.bytes ? "true" : `Same<Undefined<OutputOf<${type}>>, client.${nameOf(op.name)}Output>`;
    return `check<Same<ArgumentsOf<${type}>, client.${nameOf(op.name)}Input>, ${output}>("${op.name}");`;
  });
  const lines = [
    `import type * as client from "${root}/dist/client/client.d.ts";`,
    `import type { ArgumentsOf, OutputOf } from "${root}/src/contract/operation.ts";`,
    ...groups.map((group) => `import type { ${group} } from "${root}/src/contract/${group}.ts";`),
    "type Whole<T> = T extends object ? { [K in keyof T]-?: Whole<T[K]> } : T;",
    "type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;",
    // The second comparison finds optional fields that one side lacks.
    "type Same<A, B> = Mutual<A, B> extends true ? Mutual<Whole<A>, Whole<B>> : false;",
    "type Undefined<T> = [T] extends [void] ? undefined : T;",
    "declare function check<Input extends true, Output extends true>(name: string): void;",
    ...checks,
  ];
  expect(checks.length).toBeGreaterThan(100);
  await writeFile(join(folder, "contract.ts"), lines.join("\n"));
  const compilerOptions = { typeRoots: [join(root, "node_modules/@types")] };
  const project = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"], exclude: [] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
  const wrong = (await compile(folder)).map((line) => {
    const at = /contract\.ts\((\d+),/.exec(line)?.[1];
    return at === undefined ? line : `${lines[Number(at) - 1]}: ${line}`;
  });
  expect(wrong).toEqual([]);
});
