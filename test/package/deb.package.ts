import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/cli/session/version.ts";

const project = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "wcs-deb-test-"));
/** Where dpkg installs, so that nothing on this machine changes. */
const root = join(folder, "root");
const inRoot = (path: string) => join(root, path);
const isThere = (program: string) => spawnSync(program, ["--version"]).error === undefined;
const canInstall = isThere("dpkg") && process.getuid?.() === 0;
const newer = "99.0.0";

/** Makes a package with the bundle instead of the executable, which executable.package.ts runs. */
function buildPackage(number: string): string {
  const executable = join(folder, `wcs-${number}`);
  writeFileSync(executable, `#!/bin/sh\nexec '${process.execPath}' '${project}/bin/wcs.js' "$@"\n`);
  const args = ["scripts/build-deb.ts", "--executable", executable, "--version", number, "--out", folder];
  return execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" }).trim();
}

/** Runs dpkg in the folder, and returns the calls of its scripts that would change users and services. */
function dpkg(...args: readonly string[]): string {
  const calls = join(folder, "calls");
  writeFileSync(calls, "");
  const forced = "--force-script-chrootless,depends,confdef,confold";
  execFileSync("dpkg", [`--root=${root}`, `--log=${folder}/log`, forced, ...args], {
    env: { ...process.env, PATH: `${folder}/tools:/usr/sbin:/usr/bin:/sbin:/bin`, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  return readFileSync(calls, "utf8");
}

describe.skipIf(!canInstall)("the Debian package (needs dpkg and root)", () => {
  let older = "";
  beforeAll(() => {
    older = buildPackage(version);
    for (const path of ["var/lib/dpkg/info", "var/lib/dpkg/updates", "run/systemd/system", "usr/bin"])
      mkdirSync(inRoot(path), { recursive: true });
    writeFileSync(inRoot("var/lib/dpkg/status"), "");
    mkdirSync(join(folder, "tools"));
    for (const tool of ["adduser", "chown", "systemctl", "deb-systemd-helper", "deb-systemd-invoke"])
      writeFileSync(join(folder, "tools", tool), `#!/bin/sh\necho ${tool} "$@" >> '${folder}/calls'\n`, {
        mode: 0o755,
      });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("leaves the rights of folders of the system as they are", () => {
    const files = execFileSync("dpkg-deb", ["--contents", older], { encoding: "utf8" }).trim().split("\n");
    expect(files[0]).toMatch(/ \.\/$/);
    for (const line of files)
      expect(line).toMatch(/^(?:drwxr-xr-x|-rwxr-xr-x(?=.*usr\/bin\/wcs$)|-rw-r--r--) root\/root /);
  });

  it("installs the program, manual pages, completions and a service that is not started", () => {
    const calls = dpkg("--install", older);
    expect(execFileSync(inRoot("usr/bin/wcs"), ["--version"], { encoding: "utf8" })).toBe(`${version}\n`);
    for (const page of ["wcs.1", "wcs-serve.1"])
      expect(gunzipSync(readFileSync(inRoot(`usr/share/man/man1/${page}.gz`))).toString()).toContain(".TH");
    for (const path of [
      "bash-completion/completions/wcs",
      "zsh/vendor-completions/_wcs",
      "fish/vendor_completions.d/wcs.fish",
    ])
      expect(readFileSync(inRoot(`usr/share/${path}`), "utf8")).toContain("wcs");
    expect(readFileSync(inRoot("usr/share/doc/wcs/copyright"), "utf8")).toMatch(/Node\.js[\s\S]*\nzod /);
    expect(statSync(inRoot("var/lib/wcs")).mode & 0o777).toBe(0o750);
    expect(calls).toContain("adduser --system");
    expect(calls).toContain(`chown wcs:wcs ${inRoot("var/lib/wcs")}\n`);
    expect(calls).not.toMatch(/start|enable/);
  });

  it("has a configuration that wcs serve accepts", () => {
    const file = inRoot("etc/wcs/wcs.yaml");
    writeFileSync(join(folder, "wcs.yaml"), readFileSync(file, "utf8").replace("/var/lib/wcs/", `${folder}/`));
    const run = (args: readonly string[]) =>
      spawnSync(inRoot("usr/bin/wcs"), args, { env: { HOME: folder }, encoding: "utf8" });
    run(["init", "--db", join(folder, "wcs.db"), "--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace"]);
    const { stderr, status } = run(["serve", "--check", "--config", join(folder, "wcs.yaml")]);
    expect(stderr).not.toContain("error:");
    expect(status).toBe(0);
  });

  it("keeps changed configuration and data on an upgrade, and restarts a running service", () => {
    appendFileSync(inRoot("etc/wcs/wcs.yaml"), "# mine\n");
    writeFileSync(inRoot("var/lib/wcs/wcs.db"), "data");
    const calls = dpkg("--install", buildPackage(newer));
    expect(calls).toContain("deb-systemd-invoke try-restart wcs.service");
    expect(calls).not.toMatch(/ stop|enable|chown/);
    expect(readFileSync(inRoot("etc/wcs/wcs.yaml"), "utf8")).toContain("# mine");
    expect(readFileSync(inRoot("var/lib/wcs/wcs.db"), "utf8")).toBe("data");
  });

  it("stops the service on removal, and deletes configuration and data on purge only", () => {
    expect(dpkg("--remove", "wcs")).toContain("deb-systemd-invoke stop wcs.service");
    expect(existsSync(inRoot("usr/bin/wcs"))).toBe(false);
    expect(readFileSync(inRoot("etc/wcs/wcs.yaml"), "utf8")).toContain("# mine");
    expect(existsSync(inRoot("var/lib/wcs/wcs.db"))).toBe(true);
    dpkg("--purge", "wcs");
    for (const path of ["etc/wcs", "var/lib/wcs"]) expect(existsSync(inRoot(path))).toBe(false);
  });

  it.skipIf(!isThere("lintian"))("passes lintian (needs lintian)", () => {
    const args = ["--no-cfg", "--allow-root", "--fail-on", "error,warning", older];
    const { stdout, status } = spawnSync("lintian", args, { encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });
});

it.skipIf(!isThere("systemd-analyze"))("the unit is valid and confined (needs systemd-analyze)", () => {
  const unit = join(mkdtempSync(join(tmpdir(), "wcs-unit-")), "wcs.service");
  writeFileSync(
    unit,
    readFileSync(join(project, "packaging/systemd/wcs.service"), "utf8").replace("/usr/bin/wcs", "/bin/true"),
  );
  const analyze = (...args: readonly string[]) => spawnSync("systemd-analyze", [...args, unit], { encoding: "utf8" });
  expect(analyze("verify", "--man=no").stderr).not.toContain(unit);
  expect(analyze("security", "--offline=true", "--threshold=20", "--no-pager").status).toBe(0);
  rmSync(join(unit, ".."), { recursive: true });
});
