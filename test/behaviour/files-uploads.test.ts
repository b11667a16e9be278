import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import type { FileItem } from "../../src/contract/file-schemas.ts";
import { files } from "../../src/contract/files.ts";
import { settings } from "../../src/contract/settings.ts";
import { useWorld } from "../support/actors.ts";
import { bytesOf, docx, images, upload } from "../support/attachments.ts";
import { tries } from "../support/effort.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { refusal, wrongFields } from "../support/outcome.ts";
import { allRows } from "../support/tables.ts";

describeOnOneDatabase("uploads", (environment) => {
  const world = useWorld(environment);
  const member = () => world().actors.member;
  const create = (items: FileItem[]) =>
    member().call(events.create, {
      title: "Mine",
      type: "user",
      start: 1_800_000_000,
      end: 1_800_000_060,
      files: items,
    });
  const made = async (...items: FileItem[]) =>
    (await member().call(events.get, { id: (await create(items)).id })).files;
  const wrong = (...items: FileItem[]) => wrongFields(create(items));
  const mimeOf = async (name: string, bytes: Uint8Array | string) => (await made(upload(name, bytes)))[0]!.mime;

  it("an upload refuses names with a path, only dots, control characters or nothing", async () => {
    const names = [
      "../../etc/passwd",
      "/etc/passwd",
      "..\\boot.ini",
      "a/b",
      "C:\\x",
      "..",
      ".",
      "a\0b",
      "a\nb",
      "",
      "  ",
      "x".repeat(256),
    ];
    for (const name of names) expect(await wrong(upload(name, "x")), JSON.stringify(name)).toEqual(["files.0.name"]);
    const good = ["..a", "a..b", ".env", "%2e%2e%2f", "con", "x".repeat(255), "日本 (1).txt", "<b>.txt", "--force"];
    expect((await made(...good.map((name) => upload(name, "x")))).map((file) => file.name)).toEqual(good);
  });

  it("an upload refuses data that is not exact base64", async () => {
    const bad = [
      "a",
      "YQ",
      "YQ=",
      "YR==",
      "YWJ=",
      "YQ==YQ==",
      "=YWJ",
      "====",
      "Y Q==",
      "YQ==\n",
      "YWJj\nYWJj",
      "_-8=",
      "data:text/plain;base64,YQ==",
      "é===",
      "🎈🎈",
    ];
    for (const data of [...bad, ""])
      expect(await wrong({ ...upload("a", "x"), data }), JSON.stringify(data)).toEqual(["files.0.data"]);
    const large = randomBytes(600_000).toString("base64");
    const spoilt = [
      large.replace(/./, "*"),
      `${large.slice(0, 400_000)}=${large.slice(400_001)}`,
      `${large.slice(0, -4)} ${large.slice(-3)}`,
    ];
    for (const data of spoilt) expect(await wrong({ ...upload("a", "x"), data })).toEqual(["files.0.data"]);
  });

  it("an upload accepts any bytes, and refuses all text that a strict base64 decoder refuses", async () => {
    const text = fc.string({ unit: fc.constantFrom(..."AQZaz09+/=-_ \n"), minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, async (data) => {
        const strict = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data);
        const canonical = strict && Buffer.from(data, "base64").toString("base64") === data;
        const item = { ...upload("a", "x"), data };
        if (!canonical) {
          expect(await wrong(item)).toEqual(["files.0.data"]);
          return;
        }
        const [file] = await made(item);
        expect((await bytesOf(await member().call(files.get, { id: file!.id }))).toString("base64")).toBe(data);
      }),
      { numRuns: tries(60) },
    );
  });

  it("an upload names every invalid file beside other wrong fields, and stores nothing", async () => {
    const before = await allRows(world().instance.database);
    const items: FileItem[] = [
      upload("good.txt", "x"),
      { ...upload("a", "x"), data: "?" },
      upload("picture.png", "no picture"),
      { type: "youtube", name: "Song", data: "https://youtube.com.evil.example/" },
      { type: "vimeo", name: "Film", data: "https://youtu.be/abc" },
    ];
    expect(await wrong(...items)).toEqual(["files.1.data", "files.2.data", "files.3.data", "files.4.data"]);
    expect(await allRows(world().instance.database)).toEqual(before);
  });

  it("an upload refuses an extension that does not match a known format", async () => {
    const others =
      "png jpg jpeg gif webp bmp tiff heic avif pdf zip docx xlsx pptx gz 7z mp4 mov webm mkv wav flac".split(" ");
    const text = "Just text, and nothing else.";
    const items = others.map((extension) => upload(`file.${extension.toUpperCase()}`, text));
    expect(await wrong(...items)).toEqual(items.map((_, at) => `files.${at}.data`).toSorted());
    expect(await wrong(upload("photo.jpg", images.png(1, 1)))).toEqual(["files.0.data"]);
    expect((await refusal(create([upload("photo.jpg", images.png(1, 1))]))).fields).toEqual({
      "files.0.data": ["is image/png, which does not match the extension .jpg"],
    });
    expect(await wrong(upload("archive.zip", images.gif(1, 1)))).toEqual(["files.0.data"]);
    const fine = [
      upload("file.txt", images.png(1, 1)),
      upload("file", text),
      upload("file.csv", text),
      upload("file.constructor", text),
      upload("png", text),
    ];
    expect(await made(...fine)).toHaveLength(fine.length);
  });

  it("an upload detects the type by the content", async () => {
    const utf8 = "Grüße, 世界 🎈\n";
    expect(await mimeOf("a", utf8)).toBe("text/plain");
    expect(await mimeOf("a", "BMW is a maker of cars, MZ of motorcycles")).toBe("text/plain");
    expect(await mimeOf("a", `${utf8}\0`)).toBe("application/octet-stream");
    expect(await mimeOf("a", Buffer.from(utf8, "latin1"))).toBe("application/octet-stream");
    expect(await mimeOf("a", Buffer.from(utf8).subarray(0, -2))).toBe("application/octet-stream");
    expect(await mimeOf("a", "é".repeat(200_000))).toBe("text/plain");
    expect(await mimeOf("a", "%PDF-1.4\n1 0 obj\n")).toBe("application/pdf");
    expect(await mimeOf("a.docx", docx())).toBe(
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    );
    expect(await mimeOf("a.zip", docx())).toMatch(/^application\/vnd/);
    expect(
      await made(upload("noextension", images.png(1, 1)), upload("note", "x"), upload("blob", "\0")),
    ).toMatchObject([{ extension: "png" }, { extension: "txt" }, { extension: "" }]);
    const film = Buffer.concat([Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "latin1"), Buffer.alloc(100)]);
    const [video] = await made(upload("a.mp4", film));
    expect(video).toMatchObject({ mime: "video/mp4", stream: `/files/${video!.id}` });
  });

  it("an upload stores SVG, HTML and XML as text that a browser does not run", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const texts = [
      svg,
      `<?xml version="1.0"?>${svg}`,
      "<!doctype html><script>alert(1)</script>",
      "<html></html>",
      "\ufeff<?xml version='1.0'?><a/>",
    ];
    const items = texts.map((text, at) => upload(["a.svg", "b.svg", "c.html", "d.htm", "e.xml"][at]!, text));
    const made_ = await made(...items, upload("utf16.xml", Buffer.from("\ufeff<?xml version='1.0'?><a/>", "utf16le")));
    expect(made_.slice(0, 5).map((file) => file.mime)).toEqual(Array(5).fill("text/plain"));
    expect(made_[5]!.mime).toBe("application/octet-stream");
    const token = await world().instance.tokenOf(world().ids.member);
    for (const { id } of made_) {
      const response = await fetch(`${world().instance.url}/api/files/${id}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { headers } = response;
      expect(headers.get("content-type")).toMatch(/^(text\/plain; charset=utf-8|application\/octet-stream)$/);
      expect(headers.get("content-disposition")).toMatch(/^attachment; /);
      expect([headers.get("x-content-type-options"), headers.get("content-security-policy")]).toEqual([
        "nosniff",
        "default-src 'none'; sandbox",
      ]);
      await response.body?.cancel();
    }
  });

  it("an upload detects the dimensions of images, except damaged ones", async () => {
    const side = fc.integer({ min: 1, max: 65_535 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("png", "gif", "jpeg"), side, side, async (format, width, height) => {
        const [file] = await made(upload(`a.${format}`, images[format](width, height)));
        expect(file).toMatchObject({ mime: `image/${format}`, width, height });
      }),
      { numRuns: tries(15) },
    );
    const [broken] = await made(upload("a.gif", images.gif(1, 1).subarray(0, 8)), upload("b.gif", images.gif(0, 0)));
    expect(broken).toMatchObject({ width: null, height: null });
  });

  it("an upload detects no dimensions of icons", async () => {
    const icon = Buffer.from("0000010001001020000001002000", "hex");
    const [file] = await made(upload("a.ico", Buffer.concat([icon, Buffer.alloc(64)])));
    expect(file).toMatchObject({ mime: "image/x-icon", width: null, height: null });
  });

  it("a video is an https URL of one of the known hosts", async () => {
    const good: FileItem[] = [
      { type: "youtube", name: "v", data: "https://www.youtube.com/watch?v=abc&t=1s" },
      { type: "youtube", name: "v", data: "https://youtube.com/embed/abc" },
      { type: "youtube", name: "v", data: "https://youtu.be/abc" },
      { type: "youtube", name: "v", data: "https://www.youtube-nocookie.com/embed/abc#x" },
      { type: "vimeo", name: "v", data: "https://vimeo.com/123" },
      { type: "vimeo", name: "v", data: "HTTPS://Player.Vimeo.com/video/123" },
    ];
    const sources = (await made(...good)).map((file) => file.source);
    expect(sources).toEqual([...good.slice(0, 5).map((item) => item.data), "https://player.vimeo.com/video/123"]);
    const bad = [
      "http://youtu.be/abc",
      "https://youtube.com.evil.example/watch?v=abc",
      "https://evil.example/youtube.com",
      "https://evilyoutube.com/",
      "https://m.youtube.com.evil/",
      "https://user@youtube.com/",
      "https://youtube.com:444/",
      "https://youtube.com:443/",
      "https://youtube.com\\@evil.example/",
      "https://youtube.com%2eevil.example/",
      "https://youtube.com.",
      "https:youtube.com/",
      "https:///youtube.com/",
      "javascript:alert(1)//youtube.com",
      "javascript:alert(1)//https://youtube.com/",
      "https://youtube.com/a b",
      "https://youtube.com/\n",
      "youtube.com",
      `https://youtube.com/${"x".repeat(2048)}`,
      "https://vimeo.com/123",
    ];
    for (const data of bad) expect(await wrong({ type: "youtube", name: "v", data }), data).toEqual(["files.0.data"]);
  });

  it("an upload may have exactly the size that the setting allows", async () => {
    await world().actors.administrator.call(settings.set, { "uploads.max_bytes": 1000 });
    world().instance.wait(1);
    expect(await made(upload("a", randomBytes(1000)))).toMatchObject([{ size: 1000 }]);
    for (const size of [1001, 1002, 1003, 5000])
      expect(await wrong(upload("a", randomBytes(size)))).toEqual(["files.0.data"]);
    await world().actors.administrator.call(settings.set, { "uploads.max_bytes": null });
    world().instance.wait(1);
    // Over HTTP, a limit of bodies has to leave room for the largest file by default.
    const max = 25 * 1024 * 1024;
    const bytes = randomBytes(max + 1);
    expect((await refusal(create([upload("a", bytes)]))).fields).toEqual({
      "files.0.data": [`must have at most ${max} bytes`],
    });
    const [file] = await made(upload("a", bytes.subarray(0, max)));
    const back = await bytesOf(await member().call(files.get, { id: file!.id }));
    expect(back.equals(bytes.subarray(0, max))).toBe(true);
  });

  it("filesAdd allows 200 files for each owner, and 50 in a request", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => upload(`${at}`, "x"));
    expect(await wrong(...many(51))).toEqual(["files"]);
    const { id } = await create(many(50));
    for (let i = 0; i < 3; i++) await member().call(events.filesAddTo, { id, files: many(50) });
    expect(await wrongFields(member().call(events.filesAddTo, { id, files: many(1) }))).toEqual(["files"]);
    expect((await member().call(events.get, { id })).files).toHaveLength(200);
    await member().call(events.delete, { id });
  });

  it("filesAdd: a repeat with the same Idempotency-Key attaches nothing; other content is another request", async () => {
    const bytes = randomBytes(700_000);
    const send = (item: FileItem) =>
      member().call(
        conversations.create,
        { recipients: [world().ids.colleague], message: "See", files: [item] },
        { idempotencyKey: "upload" },
      );
    const first = await send(upload("a", bytes));
    expect(await send(upload("a", bytes))).toEqual(first);
    bytes[600_000]! ^= 1;
    expect(await wrongFields(send(upload("a", bytes)))).toEqual(["Idempotency-Key"]);
  });
});
