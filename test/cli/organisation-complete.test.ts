import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describePlaces, usePlace } from "./places.ts";

const organisation = `usertypes:
- {name: Manager, abilities: [user]}
units:
- {reference: eng, name: Engineering, parent: root, addresses: {delivery: {street: Main Street 1}}, contact: {name: Ann}}
- {reference: sales, name: Sales, parent: root}
users:
- {reference: E-1, first_name: Grace, last_name: Hopper, email: grace@example.com, unit: eng}
- {reference: E-2, first_name: Linus, last_name: Berg, email: linus@example.com, unit: eng, title: Clerk}
`;

/** Changes that somebody makes beside the file. */
const changesByHand = [
  ["users update E-1 --admin", "E-1", "admin", true, false],
  ["users update E-1 --birthday 1990-01-02", "E-1", "birthday", "1990-01-02", null],
  ["users update E-1 --meta-field-0 x", "E-1", "meta_field_0", "x", null],
  ["users update E-2 --title Boss", "E-2", "title", "Boss", "Clerk"],
  ["units update sales --description Sells", "sales", "description", "Sells", null],
  ["units update sales --geo-lat 56 --geo-lng 10", "sales", "geo", { lat: 56, lng: 10 }, null],
] as const;

interface Row {
  readonly name: string;
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

describePlaces("diff and apply of an exported file", (place) => {
  const diff = async () => {
    const { code, stdout } = await place().wcs(["diff", place().home.path("all.yaml"), "--exit-code", "--json"]);
    const rows = JSON.parse(stdout || "[]") as Row[];
    return { code, rows: rows.flatMap(({ name, changes }) => changes.map((change) => ({ name, ...change }))) };
  };
  const run = async (...args: string[]) => expect(await place().wcs(args), args.join(" ")).toMatchObject({ code: 0 });

  it("show what was changed by hand in fields that the file lacks, and take it back", async () => {
    const before = place().home.path("all.yaml");
    writeFileSync(place().home.path("organisation.yaml"), organisation);
    await run("apply", place().home.path("organisation.yaml"));
    await run("export", before);
    expect(await diff()).toEqual({ code: 0, rows: [] });
    for (const [line] of changesByHand) await run(...line.split(" "));
    await run("users", "membership", "add", "E-2", "sales", "--user-types", "Manager");
    await run(
      "units",
      "update",
      "eng",
      "--data",
      '{"addresses":{"delivery":{"city":"Oslo"},"company":{"city":"Rome"}}}',
    );
    const { code, rows } = await diff();
    expect(code).toBe(9);
    for (const [, name, field, by, after] of changesByHand) {
      expect(rows).toContainEqual({ name, field, before: by, after });
    }
    expect(rows).toContainEqual(expect.objectContaining({ name: "E-2", field: "memberships", after: null }));
    expect(rows.map(({ field }) => field)).toContain("addresses");
    await run("apply", before, "--yes");
    expect(await diff()).toEqual({ code: 0, rows: [] });
    expect((await place().wcs(["export"])).stdout).toBe(readFileSync(before, "utf8"));
  });

  it("leave a deactivated user deactivated, and say so", async () => {
    await run("users", "deactivate", "E-2", "--yes");
    const { code, stderr } = await place().wcs(["apply", place().home.path("all.yaml")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("deactivated") });
    const { stdout } = await place().wcs(["users", "get", "E-2", "--query", "active"]);
    expect(stdout.trim()).toBe("false");
  });

  it("leave the fields that users change themselves unchanged unless the file names them", async () => {
    await run("users", "update", "E-1", "--phone", "+4512345678", "--language", "da", "--timezone", "Europe/Berlin");
    expect((await diff()).rows.filter(({ name }) => name === "E-1")).toEqual([]);
  });

  it("leave absent fields unchanged when the file says that it is not complete", async () => {
    const text = readFileSync(place().home.path("all.yaml"), "utf8").replace("complete: true", "complete: false");
    writeFileSync(place().home.path("all.yaml"), text);
    await run("users", "update", "E-1", "--title", "Admiral");
    expect((await diff()).rows.filter(({ name }) => name === "E-1")).toEqual([]);
  });
});

describe("the field complete of an organisation file", () => {
  const place = usePlace();

  it("must be true or false", async () => {
    const { code, stderr } = await place().wcs(["diff", "-"], { stdin: "complete: maybe\nusers: []\n" });
    expect(code).toBe(3);
    expect(stderr).toContain("complete must be true or false");
  });
});
