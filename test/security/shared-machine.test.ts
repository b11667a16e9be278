import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { useHome } from "../cli/support.ts";

const home = useHome();
const modeOf = (path: string) => statSync(path).mode & 0o7777;
const isRoot = process.getuid?.() === 0;
const stranger = 65_534;

/** Returns a new folder that all can write to, as /tmp. */
function sharedFolder(name: string): string {
  mkdirSync(home().path(name));
  chmodSync(home().path(name), 0o1777);
  return home().path(name);
}

it.each([
  ["bash", "data/bash-completion/completions/wcs"],
  ["zsh", ".zfunc/_wcs"],
  ["zsh", ".zshrc"],
  ["fish", ".config/fish/completions/wcs.fish"],
])("With a umask of 000, only the user can change what completion install %s writes to %s", async (shell, file) => {
  const umask = process.umask(0);
  try {
    expect((await home().sit(["completion", "install", shell])).code).toBe(0);
  } finally {
    process.umask(umask);
  }
  expect(modeOf(home().path(file)) & 0o022).toBe(0);
  if (file !== ".zshrc") expect(modeOf(home().path(file.slice(0, file.lastIndexOf("/")))) & 0o022).toBe(0);
});

it("Only the user can change what completion install finds unchanged", async () => {
  const paths = [".zfunc", ".zfunc/_wcs", ".zshrc"].map((name) => home().path(name));
  const install = () => home().sit(["completion", "install", "zsh"]);
  await install();
  for (const path of paths) chmodSync(path, path.endsWith(".zfunc") ? 0o777 : 0o666);
  expect((await install()).stderr).toContain(`Unchanged: ${home().path(".zfunc/_wcs")}\n`);
  expect(paths.map(modeOf)).toEqual([0o755, 0o644, 0o644]);
});

describe("a folder of the configuration that is not only for wcs", () => {
  const add = (folder: string) =>
    home().sit(["profile", "add", "here", "--db", home().path("data/wcs/wcs.db")], { env: { WCS_CONFIG_DIR: folder } });

  it("is refused and keeps its mode when it is a folder for all, such as /tmp", async () => {
    for (const name of ["shared-config", "empty-shared-config"]) {
      const folder = sharedFolder(name);
      if (name === "shared-config") writeFileSync(`${folder}/other`, "");
      expect(await add(folder)).toMatchObject({
        code: 2,
        stderr: `error: Other users can write to ${folder}, where the configuration would be.\nhint: Set WCS_CONFIG_DIR to a folder of your own.\n`,
      });
      expect(modeOf(folder)).toBe(0o1777);
    }
  });

  it("keeps its mode when others can only read it, and the file is private", async () => {
    const folder = home().path("etc");
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(`${folder}/other`, "");
    expect((await add(folder)).code).toBe(0);
    expect([modeOf(folder), modeOf(`${folder}/config.json`)]).toEqual([0o755, 0o600]);
  });

  it("becomes private when it is empty, or when others can write to it", async () => {
    for (const [name, mode] of [
      ["empty", 0o755],
      ["open", 0o777],
    ] as const) {
      const folder = home().path(name);
      mkdirSync(folder);
      chmodSync(folder, mode);
      if (name === "open") writeFileSync(`${folder}/other`, "");
      expect((await add(folder)).code).toBe(0);
      expect(modeOf(folder)).toBe(0o700);
    }
  });
});

describe("a file of results that was there before", () => {
  const batch = (results: string) => {
    writeFileSync(home().path("rows.csv"), "name\nNorth\n");
    const line = ["batch", home().path("rows.csv"), "--results", results, "--", "units", "create", "--parent", "1"];
    return home().sit([...line, "--name", "{name}"]);
  };

  it("becomes private, since it gets what the commands print", async () => {
    const results = home().path("own.ndjson");
    writeFileSync(results, "");
    chmodSync(results, 0o666);
    expect((await batch(results)).code).toBe(0);
    expect(modeOf(results)).toBe(0o600);
  });

  it.runIf(isRoot)("is refused when it belongs to another user, who could say in it what is done", async () => {
    const results = home().path("foreign.ndjson");
    writeFileSync(results, "");
    chownSync(results, stranger, stranger);
    const getuid = vi.spyOn(process, "getuid").mockReturnValue(1);
    const { code, stderr } = await batch(results).finally(() => getuid.mockRestore());
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: --results: ${results} belongs to another user.\nhint: Name a file of your own.\n`,
    });
    expect(readFileSync(results, "utf8")).toBe("");
    // Root may use it, as with sudo.
    expect((await batch(results)).code).toBe(0);
    expect(statSync(results)).toMatchObject({ uid: stranger, mode: 0o100600 });
  });
});

it.runIf(isRoot)(
  "A link of another user in a folder for all does not choose what an export or backup replaces",
  async () => {
    const folder = sharedFolder("shared-output");
    const [own, link] = [home().path("own-file"), `${folder}/out`];
    const rows = home().path("links.csv");
    writeFileSync(rows, "name\nNorth\n");
    writeFileSync(own, "mine");
    symlinkSync(own, link);
    chownSync(folder, 1, 1);
    lchownSync(link, stranger, stranger);
    for (const line of [
      ["users", "export", link],
      ["export", link],
      ["db", "backup", link, "--force"],
      ["batch", rows, "--results", link, "--", "units", "get", "1"],
    ]) {
      const { code, stderr } = await home().sit(line);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${link} is a link that another user has put there.\nhint: Name another file.`),
      });
    }
    expect(readFileSync(own, "utf8")).toBe("mine");
    lchownSync(link, 0, 0);
    expect((await home().sit(["users", "export", link])).code).toBe(0);
  },
);

it.runIf(isRoot)(
  "A link of another user in a folder that only its owner can write to may be named, also by a link to it",
  async () => {
    const folder = home().path("own-folder");
    mkdirSync(folder, { mode: 0o755 });
    symlinkSync(folder, home().path("link-to-folder"));
    symlinkSync(home().path("target.csv"), `${folder}/out.csv`);
    lchownSync(`${folder}/out.csv`, stranger, stranger);
    expect((await home().sit(["users", "export", home().path("link-to-folder/out.csv")])).code).toBe(0);
  },
);
