import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { changeDirectly } from "../support/direct.ts";
import { describePlaces } from "./places.ts";
import { type Seat, useHome } from "./support.ts";

describePlaces("wcs posts", (place) => {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs([...args, "--json"]);
    expect({ args, code, stderr }).toMatchObject({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs(args);
    return { code, stdout, stderr };
  };

  it("posts create, list, update and delete work", async () => {
    const { wcs, home } = place();
    writeFileSync(home.path("news.md"), "# News\n");
    writeFileSync(home.path("menu.txt"), "Soup\n");
    const { id, ...made } = await json(
      ...["posts", "create", "--content-type", "news", "--title", "Canteen", "--body", `@${home.path("news.md")}`],
      ...["--file", home.path("menu.txt"), "--visibility-all-units", "--confirm-enabled", "--mentions", "Ada Lovelace"],
    );
    expect(made).toMatchObject({
      title: "Canteen",
      body: "# News",
      visibility: { all_units: true },
      confirm: { enabled: true, total: 1 },
      files: [{ name: "menu.txt", size: 5 }],
      mentions: [{ name: "Ada Lovelace" }],
    });
    expect((await json("posts", "list", "--content-type", "news")).map((post: { id: number }) => post.id)).toEqual([
      id,
    ]);
    expect(await json("posts", "list", "--status", "draft")).toEqual([]);
    expect(await json("posts", "list", "--show-in-feed")).toMatchObject([{ id }]);
    expect(await json("posts", "list", "--no-show-in-feed")).toEqual([]);
    const { stdout: rows } = await wcs(["posts", "list", "--fields", "id,title,important"]);
    expect(rows).toBe(`id\ttitle\timportant\n${id}\tCanteen\tno\n`);
    const piped = await wcs(["posts", "update", `${id}`, "--body", "-", "--important"], { stdin: "Text\n" });
    expect(piped).toMatchObject({ code: 0, stdout: "", stderr: `Updated post ${id}.\n` });
    expect(await json("posts", "get", `${id}`)).toMatchObject({ body: "Text", important: true });
    for (const [verb, done] of [
      ["seen", `Marked post ${id} as seen.`],
      ["read", `Confirmed that you read post ${id}.`],
      ["like", `Liked post ${id}.`],
      ["unlike", `Removed your like from post ${id}.`],
      ["bookmark", `Bookmarked post ${id}.`],
      ["unbookmark", `Removed the bookmark from post ${id}.`],
      ["mute", `Muted post ${id}.`],
      ["unmute", `Unmuted post ${id}.`],
    ] as const) {
      expect(await said("posts", verb, `${id}`)).toEqual({ code: 0, stdout: "", stderr: `${done}\n` });
    }
    await said("posts", "mute", `${id}`, "--for", "1w");
    expect(await json("posts", "get", `${id}`)).toMatchObject({ mute_rule: 4 });
    expect(await said("posts", "republish", `${id}`, "--yes")).toMatchObject({ code: 0 });
    expect(await said("posts", "delete", `${id}`)).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await said("posts", "delete", `${id}`, "--yes")).toMatchObject({ code: 0, stderr: `Deleted post ${id}.\n` });
    expect((await said("posts", "get", `${id}`)).code).toBe(6);
  });

  it("posts create --publish-on takes a time in words, and posts update clears it", async () => {
    const { id, publish } = await json(
      ...["posts", "create", "--content-type", "news", "--title", "Later"],
      ...["--publish-on", "+2h", "--unpublish-on", "2099-12-31 14:00"],
    );
    expect(publish).toMatchObject({ status: false, unpublish_on: Date.parse("2099-12-31T14:00Z") / 1000 });
    expect(publish.publish_on - publish.created_at).toBeGreaterThan(7000);
    expect(await said("posts", "update", `${id}`, "--unset", "unpublish-on")).toMatchObject({
      code: 0,
      stderr: `Updated post ${id}.\n`,
    });
    const moved = ["posts", "update", "later", "--publish-on", "2099-12-01 8:00", "--tz", "Asia/Tokyo"];
    expect((await said(...moved, "-n")).stderr).toBe(
      `Without --dry-run: Updated post ${id} (Later). It will be published at 2099-12-01 08:00.\nDry run: nothing was changed.\n`,
    );
    expect((await json("posts", "get", `${id}`)).publish.unpublish_on).toBeNull();
    expect((await json("posts", "list", "--status", "scheduled")).map((post: { id: number }) => post.id)).toEqual([id]);
  });

  it("posts create of an event takes times and its recurrence in words", async () => {
    const { id, event } = await json(
      ...["posts", "create", "--content-type", "event", "--title", "Party", "--event-timezone", "Europe/Copenhagen"],
      ...["--event-datetime-start", "2027-03-26 18:00", "--event-datetime-end", "2027-03-26T19:00Z"],
      ...["--repeat", "every friday until 2027-04-02", "--event-participation-enabled"],
    );
    expect(event).toMatchObject({
      datetime_start: "2027-03-26T18:00:00+01:00",
      datetime_end: "2027-03-26T20:00:00+01:00",
      rrule: "FREQ=WEEKLY;BYDAY=FR;UNTIL=20270402T160000Z",
      dates: [{}, { start: Date.parse("2027-04-02T16:00Z") / 1000 }],
    });
    expect(await said("posts", "accept", `${id}`)).toMatchObject({
      code: 0,
      stderr: `Accepted the invitation to the event of post ${id}.\n`,
    });
    expect((await json("posts", "get", `${id}`)).participation).toMatchObject({ rsvp: "accepted", accepted: 1 });
    expect((await said("posts", "decline", `${id}`)).code).toBe(0);
    expect((await said("posts", "withdraw", `${id}`)).code).toBe(0);
    expect((await said("posts", "update", `${id}`, "--repeat", "never")).code).toBe(0);
    expect((await json("posts", "get", `${id}`)).event).toMatchObject({ rrule: null, participation: { rsvp: null } });
  });

  it("posts create --choice takes texts, and posts vote texts or IDs", async () => {
    const { id, poll } = await json(
      ...["posts", "create", "--content-type", "debate", "--title", "Lunch"],
      ...["--poll-question", "Where?", "--choice", "Park", "--choice", "Canteen"],
    );
    const [park, canteen] = poll.choices.map((choice: { id: number }) => choice.id);
    expect((await json("posts", "vote", `${id}`, `${park}`)).voted).toEqual([park]);
    expect((await json("posts", "vote", `${id}`, "--title", "canteen")).voted).toEqual([canteen]);
    expect(await json("posts", "votes", `${id}`)).toMatchObject([
      { user: { id: 1 }, choices: [canteen], titles: ["Canteen"] },
    ]);
    expect((await json("posts", "vote", "Lunch", "park")).voted).toEqual([park]);
    expect((await said("posts", "votes", `${id}`)).stdout).toContain("\tPark\n");
    expect(await said("posts", "vote", `${id}`, "Pub, or bar")).toMatchObject({
      code: 6,
      stderr: `error: <choice>: no choice of the poll of post ${id} is called Pub, or bar; it has Park (${park}), Canteen (${canteen}).\n`,
    });
    expect(await said("posts", "vote", `${id}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--withdraw"),
    });
    for (const empty of ["", ","])
      expect(await said("posts", "vote", `${id}`, empty), empty).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^error: Missing <choice>/),
      });
    expect((await json("posts", "get", `${id}`)).poll.voted).toEqual([park]);
    const { token } = await json("-q", "tokens", "create", "--name", "Votes", "--scopes", "posts.vote");
    expect(await place().wcs(["posts", "vote", `${id}`, "canteen"], { env: { WCS_TOKEN: token } })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(
        "Give IDs in place of texts, or use an API token whose scopes include posts.get.",
      ),
    });
    expect((await json("posts", "vote", `${id}`, "--withdraw")).voted).toEqual([]);
    const json2 = ["--poll-choices", JSON.stringify(["Roof", { id: park, title: "Park" }])];
    expect((await said("posts", "update", `${id}`, ...json2)).code).toBe(0);
    const titles = (await json("posts", "get", `${id}`)).poll.choices.map((choice: { title: string }) => choice.title);
    expect(titles).toEqual(["Roof", "Park"]);
  });

  it("posts seen and read take several posts", async () => {
    const ids: string[] = [];
    for (const title of ["One", "Two"])
      ids.push(`${(await json("posts", "create", "--content-type", "news", "--title", title)).id}`);
    const [one, two] = ids;
    expect(await said("posts", "seen", "One", two!)).toMatchObject({
      code: 0,
      stderr: `Marked post ${one} (One) as seen.\nMarked post ${two} as seen.\n`,
    });
    expect((await said("posts", "read", ...ids)).stderr).toBe(
      `Confirmed that you read post ${one}.\nConfirmed that you read post ${two}.\n`,
    );
  });

  it("posts comments and posts files work", async () => {
    const { id } = await json("posts", "create", "--content-type", "news", "--title", "Talk");
    const first = await json("posts", "comments", "add", `${id}`, "--body", "First");
    await json("posts", "comments", "add", `${id}`, "--body", "Reply", "--parent-id", `${first.id}`);
    const listed = await json("posts", "comments", "list", `${id}`, "--all");
    expect(listed).toMatchObject([
      { body: "First", replies: 1 },
      { body: "Reply", parent_id: first.id },
    ]);
    expect((await said("posts", "comments", "delete", `${id}`, `${first.id}`, "--yes")).code).toBe(0);
    const third = await json("posts", "comments", "add", `${id}`, "Well", "said");
    expect(third.body).toBe("Well said");
    expect(await said("posts", "comments", "add", `${id}`, "One", "--body", "Two")).toMatchObject({
      code: 2,
      stderr: "error: <text> and --body cannot be used together.\n",
    });
    expect((await json("posts", "comments", "add", `${id}`, "@ann", "thanks")).body).toBe("@ann thanks");
    expect(await said("posts", "comments", "add", `${id}`, "")).toMatchObject({
      code: 3,
      stderr: "error: <text> must not be blank.\n",
    });
    expect(await said("posts", "files", "add", `${id}`, "/no/file")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: <file>: no such file: \/no\/file\.\n$/),
    });
    const path = place().home.path("plan.txt");
    writeFileSync(path, "Plan");
    expect((await said("posts", "files", "add", `${id}`, "--file", path)).code).toBe(0);
    const [file] = await json("posts", "files", "list", `${id}`);
    expect(file).toMatchObject({ name: "plan.txt" });
    expect((await said("posts", "files", "delete", `${id}`, `${file.id}`, "--yes")).code).toBe(0);
    expect(await json("posts", "files", "list", `${id}`)).toEqual([]);
    expect((await said("posts", "files", "add", `${id}`, path, path)).code).toBe(0);
    expect(await json("posts", "files", "list", `${id}`)).toHaveLength(2);
  });

  it("errors name the flags and arguments of the line", async () => {
    const create = ["posts", "create", "--content-type", "news", "--title", "Bad"];
    const wrong = "--visibility-units 987654 --pinned-until 2001-01-01 --poll-question Q".split(" ");
    const bad = await said(...create, ...wrong);
    expect(bad.code).toBe(3);
    for (const flag of ["--visibility-units", "--pinned-until", "--poll-choices"]) expect(bad.stderr).toContain(flag);
    expect((await said(...create, "--repeat", "every now and then")).code).toBe(2);
    expect((await said(...create, "--edit")).code).toBe(2);
    expect((await said("posts", "update", "1")).code).toBe(2);
    expect((await said("posts", "update", "1", "--title", "New")).code).toBe(6);
  });
});

describe("wcs posts on a terminal", () => {
  const home = useHome();
  const screen = { width: 72, height: 60 };
  const at = (args: readonly string[], seat: Seat = {}) => home().sit(["posts", ...args], { screen, ...seat });
  const create = async (args: readonly string[], seat?: Seat) => {
    const { code, stdout, stderr } = await at(["create", "--content-type", "news", ...args, "--json"], seat);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };

  it("get shows a post for reading", async () => {
    const body = "# Menu\n\nSoup **every** day,\nsee [here](https://a.example/).\n\n- fish\n- roots";
    const { id, poll } = await create([
      ...["--title", "Canteen", "--body", body, "--important", "--confirm-enabled"],
      ...["--poll-question", "Which?", "--choice", "Fish", "--choice", "Roots"],
    ]);
    await at(["vote", `${id}`, `${poll.choices[1].id}`]);
    await at(["comments", "add", `${id}`, "--body", "Well done"]);
    const { stdout, code } = await at(["get", `${id}`]);
    const lines = stdout.split("\n").map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "TIME"));
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        "Canteen",
        `News · Ada Lovelace · TIME · for Acme and below · ID ${id}`,
        "important · requires action",
        "",
        "Menu",
        "",
        "Soup every day,",
        "see here (https://a.example/).",
        "",
        "• fish",
        "• roots",
        "",
        "Which?",
        "1 vote",
        `  ${poll.choices[0].id}  Fish   ░░░░░░░░░░░░░░░░░░░░ 0`,
        `✓ ${poll.choices[1].id}  Roots  ████████████████████ 1`,
        "",
        "0 likes · 1 comment · confirmed by 0 of 1 · you: seen",
        "",
        "Ada Lovelace  TIME · 1",
        "Well done",
        "",
      ],
    });
  });

  it("the choices of a poll are shown whole on a narrow screen", async () => {
    const { id, poll } = await create([
      ...["--title", "Shifts", "--poll-question", "Who can?"],
      ...["--choice", "I can work on Christmas Eve", "--choice", "No"],
    ]);
    const [first, second] = poll.choices.map((choice: { id: number }) => `${choice.id}`);
    const { stdout } = await at(["get", `${id}`], { screen: { width: 40, height: 24 } });
    const own = first.padStart(second.length);
    expect(stdout).toContain(
      [
        `  ${own}  I can work on  ░░░░░░░░ 0`,
        `${" ".repeat(second.length + 4)}Christmas Eve`,
        `  ${second}  No             ░░░░░░░░ 0`,
      ].join("\n"),
    );
  });

  it("get escapes control characters of a post, and JSON has them unchanged", async () => {
    const evil =
      "\u001b[31mred\u0007 \u202egnorw &#27;[2J &#x9b;1m `\u001b]0;x`\n\n    \u001b[1mcode\n\n|a\u001b|\n|-|\n|&#27;[5m|";
    const title = "Title\u001b[31m\u202e";
    const { id } = await create("--title x --body x --poll-question Q --choice A --choice B".split(" "));
    await at(["comments", "add", `${id}`, "--body", "x"]);
    await changeDirectly(home().path("data/wcs/wcs.db"), async (tx) => {
      await tx.updateTable("posts").set({ title, body: evil }).where("id", "=", id).execute();
      await tx.updateTable("comments").set({ body: evil }).where("post_id", "=", id).execute();
      await tx.updateTable("polls").set({ question: "Q\u001b" }).where("post_id", "=", id).execute();
      await tx.updateTable("poll_choices").set({ title: "A\u001b" }).where("title", "=", "A").execute();
    });
    for (const args of [["get", `${id}`], ["list"], ["comments", "list", `${id}`]]) {
      const { stdout } = await at(args);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may come through
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    expect((await at(["get", `${id}`])).stdout).toContain("\\u001b[31mred\\u0007");
    const json = JSON.parse((await at(["get", `${id}`, "--json"])).stdout);
    expect([json.title, json.body]).toEqual([title, evil]);
  });

  it("list has a line for each post, with a dot before unseen ones", async () => {
    const { id } = await create(["--title", "Later", "--body", "", "--publish-on", "+2h"]);
    const { stdout } = await at(["list", "--status", "scheduled"]);
    expect(stdout).toMatch(/^ID +WHEN +KIND +TITLE +AUTHOR +FOR +ABOUT\n/);
    expect(stdout).toMatch(new RegExp(`\\n${id} +\\S+ \\S+ +News +Later +Ada Lovel`));
    expect(stdout).not.toContain("•");
    expect((await at(["list", "--bookmarked"])).stderr).toBe("No posts.\n");
  });

  it("get of an event shows time, place and answers", async () => {
    const { code, stdout } = await at([
      ...["create", "--content-type", "event", "--title", "Party", "--body", "", "--event-location", "Roof"],
      ...["--event-datetime-start", "2027-03-26 18:00", "--event-datetime-end", "2027-03-26 20:00"],
      ...["--repeat", "every friday until 2027-05-14", "--event-participation-enabled"],
    ]);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(3, 9)).toEqual([
      "When     2027-03-26 18:00 – 20:00 (UTC)",
      "Repeats  every Friday until 2027-05-14",
      "Further  2027-04-02 18:00, 2027-04-09 18:00, 2027-04-16 18:00,",
      "         2027-04-23 18:00 and 3 more",
      "Where    Roof",
      "Who      1 invited, 0 accepted, 0 rejected",
    ]);
  });

  it("comments list indents replies", async () => {
    const { id } = await create(["--title", "Talk", "--body", ""]);
    const first = JSON.parse((await at(["comments", "add", `${id}`, "--body", "First", "--json"])).stdout);
    await at(["comments", "add", `${id}`, "--body", "Reply", "--parent-id", `${first.id}`]);
    const { stdout } = await at(["comments", "list", `${id}`]);
    expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME")).toBe(
      `Ada Lovelace  TIME · ${first.id}\nFirst\n\n    Ada Lovelace  TIME · ${first.id + 1} · reply to ${first.id}\n    Reply\n`,
    );
  });

  describe("the editor", () => {
    it("create opens it when no text is given", async () => {
      const made = await at(["create", "--content-type", "news", "--title", "By hand", "--json"], {
        answers: ["All units", "Publish"],
        editor: () => "Written\n\n",
      });
      expect(JSON.parse(made.stdout).body).toBe("Written");
      const empty = await at(["create", "--content-type", "news", "--title", "None"], {
        answers: [],
        editor: () => "\n",
      });
      expect(empty).toMatchObject({ code: 130, stdout: "" });
      expect(
        (await create(["--title", "Without", "--body", ""], { answers: [], editor: () => "Not asked" })).body,
      ).toBe("");
    });

    it("update --edit opens it with the current text", async () => {
      const { id } = await create(["--title", "Draft", "--body", "Before"]);
      const edited = await at(["update", `${id}`, "--edit"], { answers: [], editor: (text) => `${text} and after` });
      expect(edited).toEqual({ code: 0, stdout: "", stderr: `Updated post ${id}.\n` });
      const read = async () => JSON.parse((await at(["get", `${id}`, "--json"])).stdout);
      expect((await read()).body).toBe("Before and after");
      expect((await at(["update", `${id}`, "--edit"], { answers: [] })).code).toBe(130);
      expect((await at(["update", `${id}`, "--edit", "--title", "Done"], { answers: [] })).code).toBe(0);
      expect(await read()).toMatchObject({ title: "Done", body: "Before and after" });
    });

    it("a text that cannot be sent is kept", async () => {
      const args = ["create", "--content-type", "news", "--title", "Bad", "--visibility-units", "987654"];
      const { code, stderr } = await at(args, { answers: ["Publish"], editor: () => "Precious" });
      expect(code).toBe(3);
      expect(stderr).toContain("Your text was kept in ");
    });
  });
});
