import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { changeDirectly } from "../support/direct.ts";
import { describePlaces } from "./places.ts";
import { bin, finished } from "./support.ts";

describePlaces("files on the command line", (place) => {
  const path = (name: string) => place().home.path(name);
  /** Runs wcs in a folder. */
  const within = (folder: string, ...args: string[]) => {
    const { home, args: target, env } = place();
    return finished(
      spawn(process.execPath, [bin, ...args, ...target], {
        env: { ...home.env, ...env },
        cwd: path(folder),
        stdio: "pipe",
      }),
      "",
    );
  };
  const run = (...args: string[]) => place().wcs(args);
  const times = ["--start", "2030-01-01 10:00", "--end", "2030-01-01 11:00"];
  const create = (...files: string[]) =>
    run(
      "events",
      "create",
      "--title",
      "Meeting",
      "--type",
      "user",
      ...times,
      ...files.flatMap((file) => ["--file", file]),
    );
  const filesOf = async (id: number): Promise<{ id: number; name: string; type: string; size: number }[]> =>
    JSON.parse((await run("events", "get", String(id), "--json")).stdout).files;
  const bytes = randomBytes(700_000);
  let eventId: number;
  let ids: Record<string, number>;

  beforeAll(async () => {
    writeFileSync(path("random.bin"), bytes);
    writeFileSync(path("Møde.txt"), "Hello\n\u001b[31mred\n");
    const made = await create(path("random.bin"), path("Møde.txt"), "https://youtu.be/abc");
    await changeDirectly(place().target, (tx) =>
      tx.updateTable("files").set({ name: "Møde \u202egpj.txt" }).where("name", "=", "Møde.txt").execute(),
    );
    expect(made.stderr).toBe("");
    eventId = Number(/\d+/.exec(made.stdout)?.[0]);
    ids = Object.fromEntries((await filesOf(eventId)).map((file) => [file.name, file.id]));
  });
  const random = () => String(ids["random.bin"]);
  const text = () => String(ids["Møde \u202egpj.txt"]);

  it("posts create --file attaches files by path and videos by URL, in this order", async () => {
    expect(await filesOf(eventId)).toMatchObject([
      { name: "random.bin", type: "upload", size: bytes.length },
      { name: "Møde \u202egpj.txt", type: "upload" },
      { name: "YouTube abc", type: "youtube", size: 0 },
    ]);
  });

  it("files get saves to the current folder under a safe name, and replaces nothing", async () => {
    mkdirSync(path("here"));
    const first = await within("here", "files", "get", random());
    expect(first).toMatchObject({ code: 0, stdout: "", stderr: "Saved random.bin (700 kB).\n" });
    expect(readFileSync(path("here/random.bin")).equals(bytes)).toBe(true);
    expect(statSync(path("here/random.bin")).mode & 0o777).toBe(0o600);
    writeFileSync(path("here/random.bin"), "mine");
    expect(await within("here", "files", "get", random())).toMatchObject({
      code: 7,
      stderr: "error: random.bin already exists.\nhint: Pass --force to replace it.\n",
    });
    expect(readFileSync(path("here/random.bin"), "utf8")).toBe("mine");
    expect((await within("here", "files", "get", random(), "--force")).code).toBe(0);
    expect(readFileSync(path("here/random.bin")).equals(bytes)).toBe(true);
    await within("here", "files", "get", text());
    expect(readdirSync(path("here")).toSorted()).toEqual(["Møde _gpj.txt", "random.bin"].toSorted());
  });

  it("files get saves no file that is hidden, looks like a flag, names a device, or has a name that Windows cannot keep", async () => {
    mkdirSync(path("named"));
    const id = Number(text());
    const names = {
      "../.profile": "__.profile",
      "-rf": "_rf",
      "con.txt": "_con.txt",
      "notes. .": "notes",
      "..": `file-${id}`,
    };
    const rename = (name: string) =>
      changeDirectly(place().target, (tx) => tx.updateTable("files").set({ name }).where("id", "=", id).execute());
    for (const name of Object.keys(names)) {
      await rename(name);
      expect(await within("named", "files", "get", String(id)), name).toMatchObject({ code: 0 });
    }
    await rename("Møde \u202egpj.txt");
    expect(readdirSync(path("named")).toSorted()).toEqual(Object.values(names).toSorted());
  });

  it("files get -o saves to a file, a folder or stdout", async () => {
    mkdirSync(path("folder"));
    expect((await run("files", "get", random(), "-o", path("other.bin"))).code).toBe(0);
    expect((await run("files", "get", random(), "-o", path("folder"))).code).toBe(0);
    for (const name of ["other.bin", "folder/random.bin"]) expect(readFileSync(path(name)).equals(bytes)).toBe(true);
    const { home, args, env } = place();
    const child = spawn(process.execPath, [bin, "files", "get", random(), "-o", "-", ...args], {
      env: { ...home.env, ...env },
    });
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    expect((await run("files", "get", random(), "-o", path("nowhere/x"))).code).toBe(2);
    const tooLong = await run("files", "get", random(), "-o", path("x".repeat(300)));
    expect(tooLong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a name in the path is too long for the file system"),
    });
    expect((await run("files", "get", random(), "-o", path("other.bin"))).code).toBe(7);
  });

  it("files get -o - escapes control characters on a terminal, and refuses binary files there", async () => {
    const screen = { width: 80, height: 24 };
    const sit = (...words: string[]) => place().home.sit([...words, ...place().args], { screen, env: place().env });
    expect((await sit("files", "get", text(), "-o", "-")).stdout).toBe("Hello\n\\u001b[31mred\n");
    const refused = await sit("files", "get", random(), "-o", "-");
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/^error: .*a terminal cannot show\.\nhint: redirect the output/i);
  });

  it("wcs api prints the bytes, too", async () => {
    const { stdout, code } = await run("api", "GET", `/files/${text()}`);
    expect([code, stdout]).toEqual([0, "Hello\n\u001b[31mred\n"]);
  });

  it("files get prints the URL of a linked video, and names the ID of an unknown file", async () => {
    const video = await run("files", "get", String(ids["YouTube abc"]));
    expect([video.code, video.stderr]).toEqual([6, expect.stringContaining("https://youtu.be/abc")]);
    expect(await run("files", "get", "987654")).toMatchObject({ code: 6, stderr: "error: There is no file 987654.\n" });
    expect((await run("files", "get", "x")).code).toBe(2);
  });

  it("files that cannot be sent are reported before anything is sent", async () => {
    const refused = async (...files: string[]) => {
      const { code, stderr } = await create(...files);
      expect(code).toBe(2);
      return stderr.split("\n")[0]!.replaceAll(path("/"), "");
    };
    mkdirSync(path("directory"));
    writeFileSync(path("empty"), "");
    writeFileSync(path("large"), "");
    truncateSync(path("large"), 50_000_000_000);
    expect(await refused(path("missing"))).toBe("error: --file: no such file: missing.");
    expect(await refused(path("directory"))).toBe("error: --file: cannot read directory: it is a directory.");
    expect(await refused(path("empty"))).toBe("error: --file: empty is empty.");
    expect(await refused(path("large"))).toBe("error: --file: large is 50.0 GB, and the limit per request is 30.7 MB.");
    expect(await refused("https://example.com/film.mp4")).toMatch(
      /^error: --file: https:.* is not a YouTube or Vimeo URL\./,
    );
  });

  it("files that the service refuses are named", async () => {
    writeFileSync(path("photo.png"), "no photo");
    writeFileSync(path("good.txt"), "good");
    const { code, stderr } = await create(path("good.txt"), path("photo.png"), "https://youtube.com.evil.example/");
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^error: --file photo\.png is text\/plain, which does not match the extension \.png; --file YouTube {0,1}must be a URL/,
    );
  });

  it("dry runs store no files", async () => {
    const create = ["events", "create", "--title", "x", "--type", "user", ...times];
    const { code } = await run(...create, "--file", path("random.bin"), "-n");
    expect(code).toBe(0);
    expect(existsSync(path("here/.random.bin"))).toBe(false);
  });
});
