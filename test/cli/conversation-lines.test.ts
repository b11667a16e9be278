import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  messageLines,
  type ShownMessage,
  summarizeMessage,
} from "../../src/cli/commands/conversations/message-lines.ts";
import { type ShownConversation, titleOf } from "../../src/cli/commands/conversations/render-conversation.ts";
import { agesIn } from "../../src/cli/output/format-age.ts";
import type { Frame } from "../../src/cli/output/text-layout.ts";
import { noPaint } from "../../src/cli/terminal/terminal.ts";
import { widthOf } from "../../src/cli/terminal/text-width.ts";
import { wrapText } from "../../src/cli/terminal/wrap-text.ts";

type Person = ShownMessage["author"];

const person = (id: number, name: string): Person => ({
  id,
  first_name: name,
  last_name: "",
  name,
  title: "",
  active: true,
  avatar: null,
  archived_at: null,
  participant_type: "user",
  subtext: "",
  department: null,
  unit: null,
  role: "member",
});
const ann = person(1, "Ann Smith");
const bob = person(2, "Bob Jones");
const plain: ShownMessage = {
  id: 7,
  type: "normal",
  conversationId: 1,
  is_reply: false,
  parent: null,
  deleted: false,
  message: "Hello",
  date: 1_800_000_000,
  edited_at: null,
  reactions: [],
  author: ann,
  files: [],
  voice: null,
  meta: null,
};
const event = (
  meta: Partial<NonNullable<ShownMessage["meta"]>> & { event: "joined" | "left" | "renamed" },
): ShownMessage => ({ ...plain, type: "service", message: "", meta: { users: [], title: null, ...meta } });
const look: Frame = { paint: noPaint, width: 40, time: () => "5 min ago" };
const shown = (message: Partial<ShownMessage>, width = look.width) =>
  messageLines({ ...plain, ...message }, { ...look, width });

describe("messageLines", () => {
  it("shows the author, the time and the ID, and below them the text", () => {
    expect(shown({})).toEqual(["Ann Smith  5 min ago · 7", "Hello"]);
    expect(shown({ edited_at: 1 })[0]).toBe("Ann Smith  5 min ago · 7 · edited");
    expect(shown({ message: "one\r\n\r\n  two\tthree\n\n" })).toEqual([
      "Ann Smith  5 min ago · 7",
      "one",
      "",
      "  two    three",
    ]);
  });

  it("indents a reply, and quotes the message that it answers", () => {
    const parent = { ...plain, author: bob, message: "A long\nquestion about everything and more", parent: null };
    expect(shown({ is_reply: true, parent })).toEqual([
      "    Ann Smith  5 min ago · 7",
      "    │ Bob Jones: A long question about …",
      "    Hello",
    ]);
    expect(shown({ is_reply: true, parent: { ...parent, deleted: true, message: "" } })[1]).toBe(
      "    │ Bob Jones: (deleted)",
    );
    expect(shown({ is_reply: true, parent: null })[1]).toBe("    │ an earlier message");
  });

  it("shows that a message was deleted, and no longer that it was edited", () => {
    expect(shown({ deleted: true, message: "", edited_at: 1 })).toEqual([
      "Ann Smith  5 min ago · 7",
      "This message was deleted.",
    ]);
  });

  it.each([
    [{ event: "joined", users: [{ id: 1, name: "Ann Smith" }] }, "Ann Smith joined"],
    [
      {
        event: "joined",
        users: [
          { id: 2, name: "Bob Jones" },
          { id: 3, name: "Cid" },
        ],
      },
      "Ann Smith added Bob Jones and Cid",
    ],
    [{ event: "left", users: [{ id: 1, name: "Ann Smith" }] }, "Ann Smith left"],
    [{ event: "left", users: [{ id: 2, name: "Bob Jones" }] }, "Ann Smith removed Bob Jones"],
    [{ event: "renamed", title: "Launch" }, "Ann Smith named it “Launch”"],
    [{ event: "renamed", title: "" }, "Ann Smith removed its name"],
  ] as const)("of the service says what happened: %o", (meta, said) => {
    expect(messageLines(event(meta as never), { ...look, width: 80 })).toEqual([`— ${said}  5 min ago · 7`]);
    expect(summarizeMessage(event(meta as never))).toBe(said);
  });

  it("names the first users of each reaction", () => {
    const by = (emoji: string, name: string) => ({ emoji, user: { id: 1, name }, created_at: 1 });
    const reactions = [by("👍", "Ann"), by("❤️", "Bob"), by("👍", "Bob")];
    expect(shown({ reactions })[2]).toBe("👍 Ann and Bob  ❤️ Bob");
    const many = ["A", "B", "C", "D", "E"].map((name) => by("👍", name));
    expect(shown({ reactions: many })[2]).toBe("👍 A, B, C and 2 more");
  });

  it("names files and videos", () => {
    const file = {
      name: "plan.pdf",
      type: "upload",
      size: 12_345,
      source: "/files/1",
    } as ShownMessage["files"][number];
    const video = {
      ...file,
      name: "Tour",
      type: "youtube",
      source: "https://youtu.be/x",
    } as ShownMessage["files"][number];
    expect(shown({ files: [file, video] }).slice(2)).toEqual([
      "file: plan.pdf (12.3 kB)",
      "video: Tour (https://youtu.be/x)",
    ]);
    const voice = { id: 1, processing: false, extension: "ogg", duration: 12.4, url: "/v" };
    expect(shown({ voice })[2]).toBe("voice message (12 s)");
  });

  it("makes no line wider than the screen, also with wide characters", () => {
    expect(shown({ message: "日本語のとても長いメッセージです" }, 20).slice(1)).toEqual([
      "日本語のとても長いメ",
      "ッセージです",
    ]);
    expect(shown({ author: person(1, "花子".repeat(40)) }, 30)[0]).toMatch(/^(花子)+花?…\s{2}5 min ago · 7$/);
  });

  it("returns no control characters", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
    const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
    const evil = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u001b[2J", "a\rb", "\u202egnp.exe", "\u009b1m"),
    );
    fc.assert(
      fc.property(evil, evil, evil, fc.integer({ min: 1, max: 100 }), (text, name, file, width) => {
        const message: ShownMessage = {
          ...plain,
          message: text,
          author: person(1, name),
          is_reply: true,
          parent: { ...plain, message: text, author: person(2, file), parent: null },
          reactions: [{ emoji: file, user: { id: 1, name }, created_at: 1 }],
          files: [{ name: file, type: "upload", size: 1 } as ShownMessage["files"][number]],
        };
        const lines = [message, { ...event({ event: "renamed", title: text }), author: person(1, name) }];
        for (const line of lines.flatMap((each) => messageLines(each, { ...look, width }))) {
          expect(line).not.toMatch(controls);
        }
      }),
    );
  });
});

it("wrapText removes only spaces at the end of a line, not other white space", () => {
  expect(wrapText("  \u2028", 2).join("")).toContain("\u2028");
});

it("wrapText breaks lines between words, and removes only the spaces there", () => {
  const words = fc.array(
    fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.constantFrom("日本語", "👩‍👩‍👧‍👦", "")),
  );
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 30 }), (parts, width) => {
      const text = parts.join(" ");
      const lines = wrapText(text, width);
      // A single character may be wider than the line.
      const broken = lines.filter((line) => [...new Intl.Segmenter().segment(line)].length > 1);
      for (const line of broken) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replace(/[ \n]/g, ""));
    }),
  );
});

it.each([
  [0, "just now"],
  [59, "just now"],
  [60, "1 min ago"],
  [3599, "59 min ago"],
  [3600, "1 h ago"],
  [86_399, "23 h ago"],
  [86_400, "2027-01-14 09:00"],
  [-60, "just now"],
  [-61, "2027-01-15 09:01"],
])("a time %i seconds ago is shown as %s", (age, said) => {
  const now = 1_800_000_000;
  expect(agesIn("Europe/Copenhagen", () => now * 1000)(now - age)).toBe(said);
});

describe("titleOf", () => {
  const me = 1;
  const others = ["Bob", "Cid", "Dan", "Eve"].map((name, at) => person(at + 2, name));
  const talk = (participants: Person[], title: string | null = null) => ({ participants, title }) as ShownConversation;

  it("returns the title, else the names of the other participants", () => {
    expect(titleOf(talk([ann, bob], "Launch"), me)).toBe("Launch");
    expect(titleOf(talk([ann, bob]), me)).toBe("Bob Jones");
    expect(titleOf(talk([ann, ...others.slice(0, 3)], ""), me)).toBe("Bob, Cid and Dan");
    expect(titleOf(talk([ann, ...others], ""), me)).toBe("Bob, Cid, Dan and 1 more");
    expect(titleOf(talk([ann], ""), me)).toBe("nobody else");
  });

  it("returns no control characters", () => {
    expect(titleOf(talk([], "\u001b[2J"), me)).toBe("\\u001b[2J");
  });
});
