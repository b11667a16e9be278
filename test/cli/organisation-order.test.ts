import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sqliteHttp } from "../support/instance.ts";
import { describePlaces, newPlace } from "./places.ts";

// One story, in which each step goes on from the one before.
describePlaces("the order of the changes of an organisation", (place) => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs([...args, "--json"]);
    return { code, rows: JSON.parse(stdout || "[]"), stderr };
  };
  const write = (text: string) => {
    writeFileSync(place().home.path("org.yaml"), text);
    return place().home.path("org.yaml");
  };
  /** Applies a file; a dry run and a second run must agree. Returns the names of the changes in their order. */
  const apply = async (text: string, ...flags: string[]): Promise<string[]> => {
    const file = write(text);
    const dry = await run("apply", file, "--dry-run", ...flags);
    const done = await run("apply", file, "--yes", ...flags);
    expect(done).toMatchObject({ code: 0 });
    expect(dry).toMatchObject({ code: 0, rows: expect.arrayContaining(done.rows) });
    expect(dry.rows).toHaveLength(done.rows.length);
    expect(await run("apply", file, ...flags)).toMatchObject({ code: 0, rows: [] });
    return done.rows.map(({ name }: { name: string }) => name);
  };
  const user = (reference: string, email: string, more = "") =>
    `{reference: ${reference}, first_name: ${reference}, last_name: X, email: ${email}, unit: root${more}}`;

  it("apply passes names of user types on, from renamed and from deleted ones", async () => {
    await run("units", "update", "1", "--reference", "root");
    await apply("usertypes: [{reference: a, name: Chef}, {reference: b, name: Cook}, {reference: c, name: Guest}]");
    const swapped = "{reference: new, name: guest}, {reference: a, name: Cook}, {reference: b, name: CHEF}";
    const users = `users: [${user("E-1", "one@example.com", ", user_types: [new, a]")}]`;
    expect(await apply(`usertypes: [${swapped}]\n${users}`, "--prune")).toEqual(["new", "a", "b", "E-1", "c"]);
    const { rows } = await run("usertypes", "list");
    expect(rows.map(({ reference, name }: Record<string, string>) => [reference, name]).sort()).toEqual([
      ["a", "Cook"],
      ["b", "CHEF"],
      ["new", "guest"],
    ]);
  });

  it("apply refuses a name that another user type keeps, before the first change", async () => {
    const file = write("usertypes: [{reference: other, name: Other}, {reference: a, name: Guést}, {reference: new}]");
    for (const flags of [["--dry-run"], []]) {
      const { code, stderr } = await run("apply", file, ...flags);
      const { fields } = JSON.parse(stderr).error;
      expect([code, fields]).toEqual([
        3,
        { "usertypes[1].name": [expect.stringMatching(/^is taken by user type \d+ \(guest\)$/)] },
      ]);
    }
    expect((await run("usertypes", "list")).rows).toHaveLength(3);
  });

  it("apply lets users swap e-mail addresses and pass them on to new users", async () => {
    await apply(`users: [${user("E-2", "two@example.com")}, ${user("E-3", "three@example.com")}]`);
    const swapped = [
      user("E-4", "three@example.com"),
      "{reference: E-1, email: two@example.com}",
      "{reference: E-2, email: One@example.com}",
      "{reference: E-3, email: new@example.com, title: Boss}",
    ];
    expect(await apply(`users: [${swapped.join(", ")}]`)).toEqual(["E-1", "E-2", "E-3", "E-4"]);
  });

  it("apply makes administrators before it revokes the rights of others, and those of the caller last", async () => {
    const handover = [
      "{email: ada@example.com, admin: false}",
      "{reference: E-2, title: Clerk, active: false}",
      "{reference: E-1, admin: true}",
    ];
    const webhook = "webhooks: [{name: late, uri: https://127.0.0.1:9/late}]";
    const names = ["E-1", "late", "E-2", "ada@example.com"];
    const file = write(`users: [${handover.join(", ")}]\n${webhook}`);
    expect(await run("apply", file, "--dry-run")).toMatchObject({ code: 0 });
    const { code, rows } = await run("apply", file);
    expect([code, rows.map(({ name }: { name: string }) => name)]).toEqual([0, names]);
  });
});

it.each([
  ["units", "{reference: new, name: New, parent: root}"],
  ["users", "{reference: E-9, first_name: E-9, last_name: X, email: nine@example.com, unit: root}"],
])("apply with an API token whose scopes leave out %s changes nothing", async (kind, entry) => {
  const { wcs, close } = await newPlace(sqliteHttp);
  try {
    await wcs(["units", "update", "1", "--reference", "root"]);
    const made = await wcs(["tokens", "create", "--name", "ci", "--scopes", "read,usertypes.*", "--json"]);
    const env = { WCS_TOKEN: JSON.parse(made.stdout).token };
    const stdin = `usertypes: [{name: Chief}]\n${kind}: [${entry}]`;
    expect(await wcs(["apply", "-"], { stdin, env })).toMatchObject({ code: 5, stdout: "" });
    expect(JSON.parse((await wcs(["usertypes", "list", "--json"])).stdout)).toEqual([]);
    expect(await wcs(["apply", "-"], { stdin: "usertypes: [{name: Chief}]", env })).toMatchObject({ code: 0 });
  } finally {
    await close();
  }
});
