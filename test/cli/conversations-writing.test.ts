import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { edit } from "../../src/cli/terminal/editor.ts";
import { type Seat, useHome } from "./support.ts";

const home = useHome();

beforeAll(async () => {
  const bob = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--unit", "1"];
  await home().wcs(["users", "create", ...bob, "-q"]);
  await home().wcs(["conversations", "send", "--to", "2", "First"]);
});

const send = (args: readonly string[], seat: Seat = {}) => home().sit(["conversations", "send", "1", ...args], seat);
const newest = async (limit = 1) => {
  const { stdout } = await home().wcs(["conversations", "messages", "1", "--limit", `${limit}`, "--json"]);
  return (JSON.parse(stdout) as { id: number; message: string }[]).map(({ message }) => message);
};
const draft = () => home().path("message.txt");

describe("the text of a message", () => {
  it("conversations send sends the words on the line unchanged", async () => {
    await send(["@bob", "see", "#1", "--", "--all"]);
    expect(await newest()).toEqual(["@bob see #1 --all"]);
  });

  it("conversations send reads the text from a pipe, or for -, without the last line break", async () => {
    const piped = await home().wcs(["conversations", "send", "1", "--json"], { stdin: "two\nlines\n\n" });
    expect(JSON.parse(piped.stdout)).toMatchObject({ message: "two\nlines\n" });
    expect((await home().wcs(["conversations", "send", "--to", "2", "-"], { stdin: "dash\n" })).code).toBe(0);
    expect(await newest()).toEqual(["dash"]);
    const empty = await home().wcs(["conversations", "send", "1"]);
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing <text>") });
    const dash = await home().wcs(["conversations", "send", "1", "-"]);
    expect(dash).toMatchObject({ code: 2, stderr: expect.stringContaining("<text>: stdin is empty") });
    expect(await newest()).toEqual(["dash"]);
  });

  it("conversations send opens an editor on a terminal when no text is given", async () => {
    const { code, stderr } = await send([], { answers: [], editor: () => "from an editor\n" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(await newest()).toEqual(["from an editor"]);
    expect(existsSync(draft())).toBe(false);
  });

  it("conversations send sends nothing when the text stays empty", async () => {
    const before = await newest(3);
    for (const text of ["", " \n\n"]) {
      const { code, stderr } = await send([], { answers: [], editor: () => text });
      expect({ code, stderr }).toEqual({ code: 130, stderr: "Nothing was sent.\n" });
    }
    expect(await newest(3)).toEqual(before);
    expect(existsSync(draft())).toBe(false);
  });

  it("conversations send keeps a text that cannot be sent, and names the file", async () => {
    const { code, stderr } = await send(["--reply-to", "999"], { answers: [], editor: () => "precious" });
    expect(code).toBe(3);
    expect(stderr).toBe(
      `Your text was kept in ${draft()}\nerror: --reply-to is not a message of conversation 1: 999.\n`,
    );
    expect(readFileSync(draft(), "utf8")).toBe("precious");
  });

  it("conversations send opens no editor for a missing recipient, nor with --no-input", async () => {
    const editor = () => {
      throw new Error("no editor should open");
    };
    const nowhere = await home().sit(["conversations", "send", "99"], { answers: [], editor });
    expect(nowhere).toMatchObject({ code: 6 });
    expect(await home().sit(["conversations", "send", "--to", "Nobody"], { answers: [], editor })).toMatchObject({
      code: 6,
    });
    const quiet = await send(["--no-input"], { answers: [], editor });
    expect(quiet).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing <text>") });
  });

  it("conversations message edit opens the editor with the current text, and changes nothing when that stays the same", async () => {
    const { stdout } = await home().wcs(["conversations", "send", "1", "An old tekst", "--json"]);
    const { id } = JSON.parse(stdout);
    const change = (editor: (text: string) => string) =>
      home().sit(["conversations", "message", "edit", "1", `${id}`], { answers: [], editor });
    expect(await change((text) => text)).toMatchObject({ code: 130, stderr: "Nothing was changed.\n" });
    expect(await change(() => "\n")).toMatchObject({ code: 130, stderr: "Nothing was changed.\n" });
    expect((await change((text) => text.replace("tekst", "text"))).code).toBe(0);
    expect(await newest()).toEqual(["An old text"]);
    const alone = await home().sit(["conversations", "message", "edit"], { answers: [] });
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing <id>, <message>") });
  });

  it("conversations send --dry-run shows the message and sends nothing", async () => {
    const before = await newest(3);
    const tried = await send(["tried", "--dry-run"], { screen: { width: 80, height: 24 } });
    expect(tried.stdout).toContain("\ntried\n");
    expect(tried.stderr).toBe("Dry run: nothing was changed.\n");
    expect(await newest(3)).toEqual(before);
  });
});

it("wcs conversations create asks for what is missing; a message with files needs no text", async () => {
  const create = (args: readonly string[], seat: Seat = {}) =>
    home().sit(["conversations", "create", "--json", ...args], seat);
  const asked = await create([], { answers: ["2", " ", "Shall we meet?"] });
  const question = "? Text of the message, 1 to 10,000 characters:";
  const people = "? Other participants (separated by commas):";
  expect(asked.stderr.startsWith(`${people}\n${question}\n> Enter a value\n${question}\n`)).toBe(true);
  expect(asked.stderr).toContain("wcs conversations create --json --recipients 2 --message 'Shall we meet?'");
  expect(JSON.parse(asked.stdout)).toMatchObject({ message: "Shall we meet?" });
  const missing = await home().sit(["conversations", "create", "--recipients", "2"]);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing --message") });
  writeFileSync(home().path("photo.txt"), "Photo");
  const silent = await create(["--recipients", "2", "--file", home().path("photo.txt")], { answers: [] });
  expect(JSON.parse(silent.stdout)).toMatchObject({ message: "", files: [{ name: "photo.txt" }] });
});

describe("files", () => {
  it("conversations send --file attaches files by their paths", async () => {
    writeFileSync(home().path("plan.txt"), "the plan\n");
    const { stdout } = await send(["See", "--file", home().path("plan.txt")], { screen: { width: 80, height: 24 } });
    expect(stdout).toContain("\nSee\nfile: plan.txt (9 bytes)\n");
    writeFileSync(home().path("image.png"), "no image\n");
    const wrong = await send(["x", "--file", home().path("plan.txt"), "--file", home().path("image.png")]);
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining("--file image.png is text/plain") });
    const missing = await home().wcs(["conversations", "send", "--to", "2", "x", "--file", "/no/such"]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("no such file: /no/such") });
  });
});

describe("the editor", () => {
  /** Creates an editor that runs lines of shell with the file as $1. */
  const editor = (lines: string) => {
    const folder = home().path("it's a folder");
    mkdirSync(folder, { recursive: true });
    const path = `${folder}/editor`;
    writeFileSync(path, `#!/bin/sh\n${lines}\n`);
    chmodSync(path, 0o755);
    return `"${path}"`;
  };
  const env = (more: Record<string, string>) => ({ PATH: process.env.PATH ?? "", ...more });

  /** Runs `work` while temporary files go to a folder of an awkward name, and gives back what is in there afterwards. */
  async function aside(work: () => Promise<void>): Promise<string[]> {
    const folder = home().path("what's here");
    mkdirSync(folder, { recursive: true });
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      await work();
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    return readdirSync(folder);
  }

  it("the editor is $VISUAL, else $EDITOR, with its arguments; its file is private and removed afterwards", async () => {
    const left = await aside(async () => {
      const both = env({ VISUAL: `${editor('printf "%s %s" "$1" "$(cat "$2")" > "$2"')} --wait`, EDITOR: "false" });
      const made = await edit("before", both, "message.txt");
      expect(made.text).toBe("--wait before");
      expect(statSync(made.path).mode & 0o777).toBe(0o600);
      await made.discard();
      const only = await edit("text", env({ EDITOR: "true" }), "message.txt");
      expect(only.text).toBe("text");
      await only.discard();
    });
    expect(left).toEqual([]);
  });

  it("conversations send sends nothing when the editor fails or is missing, and removes its file", async () => {
    const left = await aside(async () => {
      for (const EDITOR of ["false", "/no/such/editor 2>/dev/null", editor("exit 3")]) {
        await expect(edit("text", env({ EDITOR }), "message.txt")).rejects.toThrow("nothing was sent");
      }
    });
    expect(left).toEqual([]);
  });

  it("conversations send sends nothing when the editor writes another encoding than UTF-8, and keeps the text", async () => {
    const left = await aside(async () => {
      const EDITOR = editor(`printf 'caf\\351' > "$1"`);
      await expect(edit("text", env({ EDITOR }), "message.txt")).rejects.toThrow("it is not encoded in UTF-8");
    });
    expect(left).toHaveLength(1);
  });
});
