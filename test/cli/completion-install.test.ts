import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { script } from "../../src/cli/completion/completion-script.ts";
import { registry } from "../../src/cli/registry.ts";
import { newHome } from "./support.ts";

const files = {
  bash: ["data/bash-completion/completions/wcs"],
  zsh: [".zfunc/_wcs", ".zshrc"],
  fish: [".config/fish/completions/wcs.fish"],
  powershell: [".config/powershell/wcs-completion.ps1", ".config/powershell/Microsoft.PowerShell_profile.ps1"],
};

it.each(Object.keys(files) as (keyof typeof files)[])(
  "completion install %s says what it wrote, and is done once",
  async (shell) => {
    const home = newHome();
    const [scriptFile = "", startUp] = files[shell];
    const before = "# my own line";
    if (shell === "zsh") writeFileSync(home.path(".zshrc"), before);
    const first = await home.wcs(["completion", "install", shell]);
    expect(first).toMatchObject({ code: 0, stdout: "" });
    for (const file of files[shell]) expect(first.stderr).toContain(`Wrote ${home.path(file)}\n`);
    expect(readFileSync(home.path(scriptFile), "utf8")).toBe(await script(shell, registry));
    const text = () => (startUp ? readFileSync(home.path(startUp), "utf8") : "");
    const once = text();
    if (shell === "zsh") expect(once.split("\n")[0]).toBe(before);
    const again = await home.wcs(["completion", "install"], { env: { SHELL: `/usr/bin/${shell}` } });
    expect(again).toMatchObject({ code: 0 });
    for (const file of files[shell]) expect(again.stderr).toContain(`Unchanged: ${home.path(file)}\n`);
    expect(text()).toBe(once);
  },
);

it("completion install zsh keeps every byte of a start-up file that is not UTF-8", async () => {
  const home = newHome();
  const before = Buffer.from("# caf\xe9\n", "latin1");
  writeFileSync(home.path(".zshrc"), before);
  expect((await home.wcs(["completion", "install", "zsh"])).code).toBe(0);
  expect(readFileSync(home.path(".zshrc")).subarray(0, before.length)).toEqual(before);
});

it.skipIf(spawnSync("zsh", ["-c", "true"]).status !== 0)("zsh finds the installed completion", async () => {
  const home = newHome();
  await home.wcs(["completion", "install", "zsh"]);
  const { stdout } = spawnSync("zsh", ["-ic", "print $_comps[wcs]"], { env: home.env, encoding: "utf8" });
  expect(stdout.trim()).toBe("_wcs");
});

it("completion install powershell doubles each quote in a path, also the typographic ones", async () => {
  const home = newHome();
  const XDG_CONFIG_HOME = home.path("o'o \u2018\u2019\u201a\u201b");
  await home.wcs(["completion", "install", "powershell"], { env: { XDG_CONFIG_HOME } });
  const profile = readFileSync(`${XDG_CONFIG_HOME}/powershell/Microsoft.PowerShell_profile.ps1`, "utf8");
  const quoted = home.path("o''o \u2018\u2018\u2019\u2019\u201a\u201a\u201b\u201b/powershell/wcs-completion.ps1");
  expect(profile).toBe(`. '${quoted}'\n`);
});

it("messages on stderr escape what a terminal would obey, here of a path", async () => {
  const home = newHome();
  const env = { XDG_CONFIG_HOME: home.path("\u009b31m") };
  const { stderr } = await home.spawn(["completion", "install", "fish"], { env });
  expect(stderr.split("\n")[0]).toBe(`Wrote ${home.path("\\u009b31m")}/fish/completions/wcs.fish`);
});

it("an unknown shell, or a file that cannot be written, is an error", async () => {
  const home = newHome();
  expect(await home.wcs(["completion", "install"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("The shell is unknown"),
  });
  writeFileSync(home.path("blocked"), "");
  const blocked = await home.wcs(["completion", "install", "fish"], { env: { XDG_CONFIG_HOME: home.path("blocked") } });
  expect(blocked).toMatchObject({ code: 2, stderr: expect.stringContaining("annot ") });
  expect(existsSync(home.path(".config"))).toBe(false);
});
