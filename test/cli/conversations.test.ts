import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { beforeAll, expect, it, vi } from "vitest";
import { describePlaces } from "./places.ts";
import type { Seat } from "./support.ts";

interface Message {
  readonly id: number;
  readonly conversationId: number;
  readonly message: string;
  readonly is_reply: boolean;
}

/** Text with ages and times that change from run to run taken out. */
const timeless = (text: string) =>
  text.replace(/just now|\d+ (min|h) ago/g, "AGO").replace(/\d{4}-\d\d-\d\d[T ][\d:+Z]+/g, "TIME");

describePlaces("wcs conversations", (place) => {
  const screen = { width: 80, height: 24 };
  const say = (args: readonly string[], seat: Seat = {}) =>
    place().home.sit(["conversations", ...args, ...place().args], { ...seat, env: { ...place().env, ...seat.env } });
  const seen = async (...args: string[]) => {
    const { stdout, stderr, code } = await say(args, { screen });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("error") });
    return timeless(stdout);
  };
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await say([...args, "--json"]);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  };
  /** Runs a command as another user, which the owner of the database may do. */
  const as = async (user: number, ...args: string[]) => {
    const { code, stderr } = await place().home.sit(["conversations", ...args, ...place().local, "--as", `${user}`]);
    if (code !== 0) throw new Error(stderr);
  };
  const [bob, cid, hanako] = [2, 3, 6];
  let group = 0;
  let first: Message;

  beforeAll(async () => {
    writeFileSync(
      place().home.path("people.csv"),
      [
        "first_name,last_name,email,unit",
        "Bob,Jones,bob@example.com,root",
        "Cid,Doe,cid@example.com,root",
        "Ann,Smith,ann1@example.com,root",
        "Ann,Smith,ann2@example.com,root",
        "花子,山田,hanako@example.com,root",
        "",
      ].join("\n"),
    );
    await place().wcs(["units", "update", "1", "--reference", "root"]);
    const { code, stderr } = await place().wcs(["users", "import", place().home.path("people.csv")]);
    if (code !== 0) throw new Error(stderr);
    first = await json<Message>("send", "--to", "BOB@example.com,cid  doe,6", "Let us launch");
    group = first.conversationId;
  });

  it("conversations send --to takes e-mail addresses, full names and IDs; the same users share a conversation", async () => {
    const again = await json<Message>("send", "--to", "hanako@example.com,me", "--to", "2,3,bob jones", "Again");
    expect(again.conversationId).toBe(group);
    expect(await seen("send", "--to", "bob@example.com", "Just us")).toMatch(/^Ada Lovelace {2}AGO · \d+\nJust us\n$/);
    await as(bob, "send", "--to", "Ada Lovelace", "Yes, just us");
    const direct = await json<{ id: number; type: string }[]>("list", "--with", "2");
    expect(direct).toMatchObject([{ type: "direct", unread_message_count: 1 }]);
  });

  it("conversations send --to names unknown and ambiguous users, and sends nothing", async () => {
    const several = await say(["send", "--to", "ann smith,nobody", "x"]);
    expect(several).toMatchObject({ code: 2, stdout: "" });
    expect(several.stderr).toContain("2 users are called ann smith: Ann Smith (Acme, 4), Ann Smith (Acme, 5)");
    expect(several.stderr).toContain("no user is called nobody");
    const none = await say(["send", "--to", "ann,x@example.com,x@", "x"]);
    expect(none.code).toBe(6);
    expect(none.stderr).toContain("no user is called ann; similar names: Ann Smith (Acme, 4), Ann Smith (Acme, 5);");
    expect(none.stderr).toContain(
      "; no user with the e-mail address x@example.com or x@ is visible to you; a reference with @ begins with ref:.",
    );
    const like = await say(["send", "--to", "bob", "x"]);
    expect(like).toMatchObject({ code: 6, stderr: expect.stringContaining("similar names: Bob Jones (Acme, 2).") });
    expect(await say(["send", "--to", "me", "x"])).toMatchObject({ code: 3 });
    expect((await say(["send", "--to", "99", "x"])).stderr).toContain(
      "--to contains users that do not exist or are deactivated: 99",
    );
    expect((await say(["send", "--to", "2", "--reply-to", "1", "x"])).code).toBe(2);
    expect((await say(["send"])).code).toBe(2);
    expect((await say(["send", "first", "x"])).stderr).toContain("<id>: no conversation is called first.");
  });

  it("conversations send --to finds an e-mail address only for users who may see it", async () => {
    const asCid = (to: string) =>
      place().home.sit(["conversations", "send", "--to", to, "x", "--dry-run", ...place().local, "--as", `${cid}`]);
    const hidden = await asCid("bob@example.com");
    expect(hidden).toMatchObject({ code: 6, stdout: "", stderr: expect.stringContaining("is visible to you") });
    expect(hidden.stderr).toBe((await asCid("bop@example.com")).stderr.replace("bop@", "bob@"));
    expect((await asCid("Bob Jones")).code).toBe(0);
  });

  it("conversations rename adds a message; conversations messages quotes the message that a reply answers", async () => {
    await json("rename", `${group}`, "Launch", "team");
    await as(bob, "send", `${group}`, "--reply-to", `${first.id}`, "I am\nin");
    const newest = await json<Message[]>("messages", `${group}`);
    expect(newest.map(({ message, is_reply }) => [message, is_reply])).toEqual([
      ["I am\nin", true],
      ["", false],
      ["Again", false],
      ["Let us launch", false],
    ]);
    const ids = newest.map(({ id }) => id);
    expect(await seen("messages", `${group}`)).toBe(
      [
        `    Bob Jones  AGO · ${ids[0]}`,
        "    │ Ada Lovelace: Let us launch",
        "    I am",
        "    in",
        "",
        `— Ada Lovelace named it “Launch team”  AGO · ${ids[1]}`,
        "",
        `Ada Lovelace  AGO · ${ids[2]}`,
        "Again",
        "",
        `Ada Lovelace  AGO · ${ids[3]}`,
        "Let us launch",
        "",
      ].join("\n"),
    );
    expect(timeless((await say(["messages", `${group}`])).stdout)).toBe(
      [
        "id\tdate\tauthor.name\tmessage",
        `${ids[0]}\tTIME\tBob Jones\tI am\\nin`,
        `${ids[1]}\tTIME\tAda Lovelace\t`,
        `${ids[2]}\tTIME\tAda Lovelace\tAgain`,
        `${ids[3]}\tTIME\tAda Lovelace\tLet us launch`,
        "",
      ].join("\n"),
    );
  });

  it("conversations messages takes --limit, --all and --around", async () => {
    const textsOf = async (...args: string[]) =>
      (await json<Message[]>("messages", `${group}`, ...args)).map(({ message }) => message);
    const all = ["I am\nin", "", "Again", "Let us launch"];
    expect(await textsOf("--all")).toEqual(all);
    expect(await textsOf("--limit", "2")).toEqual(all.slice(0, 2));
    expect(await textsOf("--around", `${first.id + 1}`, "--limit", "3")).toEqual(all.slice(1, 4));
    const cut = await say(["messages", `${group}`, "--limit", "1"], { screen });
    expect(cut.stderr).toBe("Showing only the first one. Use a higher --limit for more.\n");
    const { meta } = JSON.parse((await say(["messages", `${group}`, "--limit", "3", "--raw"])).stdout);
    expect(await textsOf("--cursor", meta.next_cursor)).toEqual(["Let us launch"]);
    for (const wrong of [["--all"], ["--cursor", "x"]]) {
      expect((await say(["messages", `${group}`, "--around", "1", ...wrong])).code).toBe(2);
    }
    const beyond = await say(["messages", `${group}`, "--around", "999999", "--limit", "101"]);
    expect(beyond).toMatchObject({ code: 3, stderr: expect.stringContaining("--limit must be at most 100") });
    const elsewhere = await say(["messages", `${group}`, "--around", "999999"]);
    expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining("--around is not a message") });
  });

  it("conversations list shows participants, the number of unread messages and the latest message", async () => {
    const [direct] = await json<{ id: number }[]>("list", "--with", "bob@example.com");
    expect(await seen("list")).toBe(
      [
        "ID  CONVERSATION  UNREAD  LATEST MESSAGE           WHEN",
        `${`${group}`.padEnd(4)}Launch team   1       Bob Jones: I am in       AGO`,
        `${`${direct?.id}`.padEnd(4)}Bob Jones     1       Bob Jones: Yes, just us  AGO`,
        "",
      ].join("\n"),
    );
    const listed = async (...args: string[]) => (await json<{ id: number }[]>("list", ...args)).map(({ id }) => id);
    expect(await listed("--without", "bob@example.com")).toEqual([group]);
    expect(await listed("--with", "2,3", "--with", "花子 山田")).toEqual([group]);
    expect(await listed("--with", "2,3")).toEqual([]);
    expect(await listed("--keyword", "laun")).toEqual([group]);
    expect(await listed("--status", "unread")).toEqual([group, direct?.id]);
    const [first, second, third] = await listed();
    expect(await listed("--limit", "2", "--page", "1")).toEqual([first, second]);
    expect(await listed("--limit", "2", "--page", "2")).toEqual(third === undefined ? [] : [third]);
    expect((await say(["list", "--page", "0"])).code).toBe(3);
    expect((await say(["list", "--status", "read"])).stderr).toContain(
      "--status must be one of normal, archived, unread",
    );
    expect((await say(["list", "--with", "2", "--without", "3"])).code).toBe(2);
    expect((await say(["list", "--with", "ann smith"])).code).toBe(2);
    for (const line of [
      ["list", "--with="],
      ["list", "--without=,"],
      ["send", "--to=", `${group}`, "for", "them"],
      ["send", "--to=me", "--to=", "for both"],
    ]) {
      const { code, stderr } = await say(line);
      expect([code, stderr]).toEqual([6, expect.stringContaining("'' names no user")]);
    }
    const none = await say(["list", "--status", "archived"], { screen });
    expect(none).toMatchObject({ stdout: "", stderr: "No conversations.\n" });
  });

  it("conversations archive, unarchive and seen say what they did", async () => {
    const done = async (verb: string) => (await say([verb, `${group}`])).stderr;
    expect(await done("archive")).toBe(`Archived conversation ${group}.\n`);
    expect(await json<unknown[]>("list", "--status", "archived")).toMatchObject([{ id: group }]);
    expect(await done("unarchive")).toBe(`Unarchived conversation ${group}.\n`);
    expect(await done("seen")).toBe(`Marked all messages of conversation ${group} as seen.\n`);
    expect(await json("get", `${group}`)).toMatchObject({ unread_message_count: 0, archived_at: null });
    expect((await say(["archive", `${group}`, "--dry-run"])).stderr).toBe(
      `Without --dry-run: Archived conversation ${group}.\nDry run: nothing was changed.\n`,
    );
  });

  it("conversations mute takes a period, and unmute ends it", async () => {
    const done = async (...args: string[]) => (await say([...args])).stderr;
    const rule = async () => (await json<{ mute_rule: number | null }>("get", `${group}`)).mute_rule;
    for (const [period, expected] of [
      [[], 1],
      [["--for", "1h"], 2],
      [["--for", "8h"], 3],
      [["--for", "1w"], 4],
      [["--for", "always"], 1],
    ] as const) {
      expect(await done("mute", `${group}`, ...period)).toBe(`Muted conversation ${group}.\n`);
      expect(await rule()).toBe(expected);
    }
    expect(await json<object>("update", `${group}`, "--mute-rule", "8h")).toMatchObject({ mute_rule: 3 });
    expect(await json<object>("update", `${group}`, "--mute-rule", "2")).toMatchObject({ mute_rule: 2 });
    expect(await json<object>("update", `${group}`, "--unset", "mute-rule")).toMatchObject({ mute_rule: null });
    expect(await done("unmute", `${group}`)).toBe(`Unmuted conversation ${group}.\n`);
    expect(await rule()).toBe(null);
    const wrong = await say(["mute", `${group}`, "--for", "2h"]);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--for must be one of always, 1h, 8h, 1w"),
    });
    expect(await rule()).toBe(null);
  });

  it("conversations react, unreact and message get, edit and delete work on one message", async () => {
    const [id, message] = [`${group}`, `${first.id}`];
    await as(bob, "react", id, message, "👍");
    // Within one second by ID, else as they came.
    expect(await seen("react", id, message, "👍")).toMatch(
      /^Ada Lovelace {2}AGO · \d+\nLet us launch\n👍 (Bob Jones and Ada Lovelace|Ada Lovelace and Bob Jones)\n$/,
    );
    expect((await say(["unreact", id, message, "👍"])).stderr).toBe("Removed reaction 👍.\n");
    expect(await seen("message", "get", id, message)).toContain("\n👍 Bob Jones\n");
    expect((await say(["react", id, message, "x"])).stderr).toContain("<emoji> must be one emoji");
    expect(await seen("message", "edit", id, message, "We launch", "--dry-run")).toContain("· edited\nWe launch\n");
    expect(await seen("message", "get", id, message)).toContain("\nLet us launch\n");
    expect(await seen("message", "edit", id, message, "We", "launch")).toContain("· edited\nWe launch\n");
    const other = await json<Message>("send", id, "Oops");
    expect((await say(["message", "delete", id, `${other.id}`])).code).toBe(2);
    const refused = await say(["message", "delete", id, `${other.id}`], { answers: ["n"] });
    expect(refused).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("for everybody?\nNothing was changed."),
    });
    expect((await say(["message", "delete", id, `${other.id}`, "--yes"])).stderr).toBe(
      `Deleted message ${other.id}.\n`,
    );
    expect(await seen("message", "get", id, `${other.id}`)).toContain("\nThis message was deleted.\n");
    expect((await say(["message", "edit", id, `${other.id}`, "x"])).code).toBe(7);
    expect((await say(["message", "get", id, "999999"])).code).toBe(6);
  });

  it("conversations participants list, add, role and remove work", async () => {
    const id = `${group}`;
    const people = async () => timeless((await say(["participants", "list", id, "--fields", "name,role"])).stdout);
    await json("participants", "add", id, "ann1@example.com", "5");
    expect(await people()).toBe(
      "name\trole\nAda Lovelace\tadministrator\nBob Jones\tmember\nCid Doe\tmember\n花子 山田\tmember\nAnn Smith\tmember\nAnn Smith\tmember\n",
    );
    expect(await seen("get", id)).toContain("Ada Lovelace (administrator), Bob Jones, Cid Doe, 花子 山田, Ann Smith,");
    expect(await json("participants", "role", id, "bob jones", "administrator")).toMatchObject({
      role: "administrator",
    });
    expect((await say(["participants", "role", id, "2", "boss"])).stderr).toContain("<role> must be one of");
    expect((await say(["participants", "remove", id, "4"])).code).toBe(2);
    const removed = await say(["participants", "remove", id, "4", "--yes"]);
    expect(removed.stderr).toBe(`Removed user 4 from conversation ${id}.\n`);
    await as(5, "participants", "remove", id, "me", "--yes");
    expect(await seen("messages", id, "--limit", "3")).toMatch(
      /^— Ann Smith left .*\n\n— Ada Lovelace removed Ann Smith .*\n\n— Ada Lovelace added Ann Smith and Ann Smith /,
    );
    expect((await say(["participants", "add", id, "Ann Smith"])).code).toBe(2);
  });

  it("conversations search searches one conversation, or all of them with their titles", async () => {
    await as(hanako, "send", "--to", "1", "We should launch the boat");
    const texts = async (...args: string[]) => (await json<Message[]>("search", ...args)).map(({ message }) => message);
    expect(await texts("laun")).toEqual(["We should launch the boat", "We launch"]);
    expect(await texts("we", "launch", "--limit", "1")).toEqual(["We should launch the boat"]);
    expect(await texts("launch", "--conversation", `${group}`)).toEqual(["We launch"]);
    expect(await texts("just us")).toEqual(["Yes, just us", "Just us"]);
    expect(await texts("just us", "--limit", "1")).toEqual(["Yes, just us"]);
    expect(await seen("search", "launch")).toMatch(
      new RegExp(
        `^── 花子 山田 \\(\\d+\\)\n\n花子 山田 {2}AGO · \\d+\nWe should launch the boat\n\n── Launch team \\(${group}\\)\n\nAda Lovelace `,
      ),
    );
    expect((await say(["search", "nothing of the kind"], { screen })).stderr).toBe("No messages.\n");
    const header = "conversationId,id,date,author.name,message\n";
    expect(await say(["search", "nothing of the kind", "-o", "csv"])).toMatchObject({ code: 0, stdout: header });
    await say(["archive", `${group}`]);
    expect(await texts("launch", "--all")).toEqual(["We should launch the boat", "We launch"]);
    await say(["unarchive", `${group}`]);
    expect((await say(["search", " "])).stderr).toContain("<words> must not be blank");
  });

  it("conversations export writes all messages as JSON lines or text", async () => {
    const path = place().home.path("talk.ndjson");
    expect((await say(["export", `${group}`, "-o", path])).stderr).toMatch(
      /^Exported \d+ messages to .*talk\.ndjson\n$/,
    );
    const exported = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Message);
    expect(exported).toEqual((await json<Message[]>("messages", `${group}`, "--all")).toReversed());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await say(["export", `${group}`])).stdout).toBe(readFileSync(path, "utf8"));
    const text = timeless((await say(["export", `${group}`, "--format", "text"])).stdout);
    expect(text).toMatch(
      /^Conversation \d+: Launch team\nAda Lovelace \(administrator\), .*\n\nAda Lovelace {2}TIME · \d+/,
    );
    expect(text).toContain("    │ Ada Lovelace: We launch\n    I am\n    in\n");
    writeFileSync(path, "earlier");
    expect((await say(["export", "999999", "-o", path])).code).toBe(6);
    expect(readFileSync(path, "utf8")).toBe("earlier");
    expect((await say(["export", `${group}`, "--format", "csv"])).code).toBe(2);
    expect(readdirSync(place().home.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("conversations commands print the same bytes on a database and over HTTP", async () => {
    const commands = [
      ["list"],
      ["list", "--status", "unread", "--json"],
      ["list", "--with", "bob@example.com", "-o", "yaml"],
      ["get", `${group}`],
      ["messages", `${group}`, "--all", "-o", "ndjson"],
      ["messages", `${group}`, "--around", `${first.id}`, "-o", "csv"],
      ["search", "launch"],
      ["export", `${group}`, "--format", "text"],
      ["participants", "list", `${group}`, "--json"],
      ["send", "--to", "Ann Smith", "x"],
      ["messages", "999999"],
    ];
    for (const command of commands) {
      const there = await say(command);
      const here = await place().home.sit(["conversations", ...command, ...place().local]);
      expect(there, command.join(" ")).toEqual(here);
    }
  });

  it("completion offers conversations and messages with their titles", async () => {
    const line = ["conversations", "react", `${group}`, "", ...place().args];
    const run = async (...args: string[]) =>
      (await place().home.sit(["__complete", ...args], { env: place().env })).stdout;
    // Completion gives up 150 ms after the start of its process. This process is older, so its clock starts again.
    const clock = vi.spyOn(performance, "now").mockReturnValue(-60_000);
    try {
      expect(await run("conversations", "laun", ...line)).toBe(`${group}\tLaunch team\n`);
      expect(await run("messages", "", ...line)).toMatch(new RegExp(`${first.id}\tAda Lovelace: We launch\n$`));
    } finally {
      clock.mockRestore();
    }
  });

  it("conversations delete asks, and deletes for the caller only", async () => {
    expect((await say(["delete", `${group}`])).code).toBe(2);
    const done = await say(["delete", `${group}`], { answers: ["y"] });
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(`for yourself, with all its messages?`) });
    expect(done.stderr).toContain(`Deleted conversation ${group} for yourself.`);
    expect(await json<Message[]>("messages", `${group}`)).toEqual([]);
    await as(cid, "send", `${group}`, "--reply-to", `${first.id}`, "Still here?");
    expect(await seen("messages", `${group}`)).toMatch(
      /^ {4}Cid Doe .*\n {4}│ an earlier message\n {4}Still here\?\n$/,
    );
  });
});
