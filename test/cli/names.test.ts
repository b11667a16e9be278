import { beforeAll, describe, expect, it } from "vitest";
import { describeOnOneDatabase } from "../support/instance.ts";
import { newPlace, type Place, usePlace } from "./places.ts";

describe("names in place of IDs", () => {
  const place = usePlace();
  const wcs = (...args: string[]) => place().wcs(args);
  const json = async (...args: string[]) => {
    const { stdout, stderr, code } = await wcs(...args, "--json");
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const sit = (answers: string[], ...args: string[]) =>
    place().home.sit([...args, ...place().args], { answers, env: place().env });

  beforeAll(async () => {
    await json("units", "create", "--name", "Argyll Works", "--reference", "AR-J", "--parent", "1");
    await json("units", "create", "--name", "Kitchen", "--parent", "AR-J");
    await json("units", "create", "--name", "Kitchen", "--parent", "1");
    await json("usertypes", "create", "--name", "Employee");
    const bob = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--reference", "E-7"];
    await json("users", "create", ...bob, "--unit", "AR-J", "--user-types", "employee");
    await json("groups", "create", "--name", "Sailing");
    await json("webhooks", "create", "--name", "payroll", "--uri", "https://example.com/", "--triggers", "unit.create");
  });

  it("users get takes me, an e-mail address, a reference, a name and several of them", async () => {
    expect(await json("users", "get", "me")).toMatchObject({ name: "Ada Lovelace" });
    for (const text of ["bob@example.com", "E-7", "ref:E-7", "bob jones", "2"])
      expect(await json("users", "get", text), text).toMatchObject({ id: 2, name: "Bob Jones" });
    expect((await json("users", "get", "bob jones", "1", "E-7")).map(({ id }: { id: number }) => id)).toEqual([2, 1]);
  });

  it("flags and arguments of units, user types, groups and webhooks take names, too", async () => {
    expect(await json("users", "list", "--unit", "AR-J", "--user-type", "Employee")).toMatchObject([{ id: 2 }]);
    expect(await json("units", "get", "argyll works")).toMatchObject({ reference: "AR-J" });
    await wcs("groups", "member", "add", "Sailing", "bob@example.com");
    expect(await json("groups", "member", "list", "sailing")).toHaveLength(2);
    expect(await json("webhooks", "get", "Payroll")).toMatchObject({ name: "payroll" });
    expect(await json("webhooks", "logs", "payroll")).toEqual([]);
    const post = await json(..."posts create --content-type news --title Hi --visibility-units AR-J,1".split(" "));
    expect(post.visibility.units.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    expect(await json("posts", "list", "--author", "me")).toHaveLength(1);
    expect((await wcs("users", "export", "--unit", "AR-J", "-")).stdout).toContain("bob@example.com");
  });

  it("flags for lists of units and others take several, and the other number is suggested", async () => {
    const party = ["--title", "Party", "--type", "chain", "--start", "2031-01-05 09:00", "--end", "+2h"];
    const both = ["--units", "AR-J", "--units", "1", "--user-types", "Employee"];
    expect(await json("events", "create", ...party, ...both)).toMatchObject({
      units: [{ id: 1 }, { id: 2 }],
      userTypes: [{ name: "Employee" }],
    });
    const plural = await wcs("users", "list", "--user-types", "Nobody");
    expect(plural).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean --user-type?") });
    const singular = await wcs("events", "create", "--unit", "1");
    expect(singular).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean --units?") });
  });

  it("API tokens are found by name, and those with the same name are listed with their owners", async () => {
    const { id } = await json("tokens", "create", "--name", "Nightly build", "--scopes", "read");
    expect(await json("tokens", "get", "nightly build")).toMatchObject({ id, name: "Nightly build" });
    const machine = await json("users", "create", "--service", "--first-name", "C", "--last-name", "I", "--unit", "1");
    const owner = ["--owner", String(machine.id)];
    const other = await json("tokens", "create", "--name", "nightly build", "--scopes", "read", ...owner);
    const several = await wcs("tokens", "revoke", "nightly build", "--yes");
    expect(several).toMatchObject({ code: 2, stdout: "" });
    expect(several.stderr).toContain(
      `2 tokens are called nightly build: Nightly build (Ada Lovelace, ${id}), nightly build (C I, ${other.id})`,
    );
    expect(await wcs("tokens", "revoke", String(other.id), "--yes")).toMatchObject({ code: 0 });
    expect(await wcs("tokens", "revoke", "Nightly build", "--yes")).toMatchObject({ code: 0 });
    expect(await json("tokens", "list")).toEqual([]);
  });

  it("departments are found by name in the unit of the line: of a membership that moves, in its new unit", async () => {
    const add = async (unit: string, name: string) => (await json("units", "department", "add", unit, name)).id;
    const [welding, upper, root] = [
      await add("AR-J", "Wélding"),
      await add("AR-J", "WELDING"),
      await add("1", "Welding"),
    ];
    const renamed = await json("units", "department", "update", "AR-J", "WELDING", "--name", "Paint");
    expect(renamed).toMatchObject({ id: upper, name: "Paint" });
    const department = async (...args: string[]) => {
      expect(await wcs("users", "membership", "set", "bob@example.com", ...args)).toMatchObject({ code: 0 });
      return (await json("users", "membership", "list", "bob@example.com"))[0].department.id;
    };
    expect(await department("AR-J", "--department", "welding")).toBe(welding);
    expect(await department("AR-J", "--department", "paint")).toBe(upper);
    expect(await department("AR-J", "--unit", "1", "--department", "welding")).toBe(root);
    expect(await department("1", "--unit", "AR-J", "--department", String(welding))).toBe(welding);
    const eve = ["--first-name", "Eve", "--last-name", "Ex", "--email", "eve.ex@example.com", "--unit", "AR-J"];
    const noted = await wcs("units", "department", "remove", "AR-J", "paint", "--dry-run", "--yes");
    expect(noted.stderr).toContain("Paint");
    expect(await json("users", "create", ...eve, "--department", "paint")).toMatchObject({ department: { id: upper } });
    const none = await wcs("units", "department", "remove", "AR-J", "Weld", "--yes");
    expect(none).toMatchObject({ code: 6, stdout: "" });
    const known = `Paint (${upper}), Wélding (${welding})`.split(", ");
    for (const each of known) expect(none.stderr).toContain(each);
    expect(none.stderr).toContain("<department>: no department of Argyll Works is called Weld; it has ");
    await json("units", "department", "update", "AR-J", "Paint", "--name", "WELDING");
    const several = await wcs("units", "department", "remove", "AR-J", "welding", "--yes");
    expect(several).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("2 departments of Argyll Works are called"),
    });
    expect(await wcs("units", "department", "remove", "AR-J", "WELDING", "--yes")).toMatchObject({ code: 0 });
    const { departments } = await json("units", "get", "AR-J");
    expect(departments).toMatchObject([{ id: welding }]);
    expect(await sit(["Wélding"], "units", "department", "remove", "AR-J", "--yes")).toMatchObject({ code: 0 });
    const left = await sit([], "units", "department", "remove", "AR-J", "--yes");
    expect([left.code, left.stderr]).toEqual([6, "error: Unit Argyll Works has no departments.\n"]);
  });

  it("a text that matches nothing: exit 6, with similar names", async () => {
    const none = await wcs("users", "list", "--unit", "Argyl", "--user-type", "nobody");
    expect(none).toMatchObject({ code: 6, stdout: "" });
    expect(none.stderr).toContain("--unit: no unit is called Argyl; similar names: Argyll Works (Acme, 2);");
    expect(none.stderr).toContain("--user-type: no user type is called nobody.");
    expect((await wcs("users", "get", "ref:2")).stderr).toContain("no user has the reference 2");
    expect((await wcs("units", "get", "")).stderr).toContain("'' names no unit");
  });

  it("an ambiguous name: exit 2, with the candidates; on a terminal, a choice", async () => {
    const several = await wcs("units", "get", "kitchen");
    expect(several).toMatchObject({ code: 2, stdout: "" });
    expect(several.stderr).toContain("2 units are called kitchen: Kitchen (Argyll Works, 3), Kitchen (Acme, 4)");
    const chosen = await sit(["Kitchen (Acme, 4)"], "units", "get", "kitchen", "--json");
    expect(chosen.stderr).toContain("? Which unit called kitchen? (Kitchen (Argyll Works, 3), Kitchen (Acme, 4))");
    expect(JSON.parse(chosen.stdout)).toMatchObject({ id: 4 });
  });

  it("a text that is the reference of one thing and the name of another: exit 2, with the ways to give each", async () => {
    const { id } = await json("usertypes", "create", "--name", "Driver");
    const { id: other } = await json("usertypes", "create", "--name", "Chauffeur", "--reference", "Driver");
    expect(await wcs("usertypes", "get", "Driver")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `error: <id>: Driver is the reference of user type Chauffeur (${other}) and the name of Driver (${id}).\nhint: Use ref:Driver for the reference, or an ID for the name.\n`,
    });
    expect(await json("usertypes", "get", "ref:Driver")).toMatchObject({ id: other });
  });

  it("lists that are cut say so: names find after six matches, users search after its limit", async () => {
    const twin = ["users", "create", "--first-name", "Grace", "--last-name", "Twin", "--unit", "1", "--email"];
    for (let each = 1; each <= 7; each++) await json(...twin, `grace${each}@example.com`);
    const several = await wcs("users", "get", "Grace Twin");
    expect(several.stderr).toContain("<id>: 6 or more users are called Grace Twin: Grace Twin (Acme, ");
    const found = await wcs("names", "find", "grace twin", "argyll works");
    expect(found.stdout.match(/^users\t/gm)).toHaveLength(6);
    expect(found.stderr).toBe("Showing the first 6 users called grace twin.\n");
    expect((await wcs("users", "search", "grace", "--limit", "2")).stderr).toBe(
      "Showing the first 2. Use a higher --limit for more.\n",
    );
    expect(await wcs("users", "search", "grace")).toMatchObject({ code: 0, stderr: "" });
    expect((await wcs("api", "GET", "/users/search?q=grace", "--limit", "2")).stderr).toContain("Showing the first 2.");
  });

  it("missing values are asked for by name on a terminal, and listed in one error without one", async () => {
    const asked = await sit(["argyll"], "units", "get", "--json");
    expect(JSON.parse(asked.stdout)).toMatchObject({ id: 2 });
    const logs = await sit(["pay"], "webhooks", "logs", "--json");
    expect(logs).toMatchObject({ code: 0, stdout: "[]\n", stderr: expect.stringContaining("? Webhook:") });
    expect(await wcs("webhooks", "logs")).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing <id>") });
    const person = ["Eve", "Adams", "eve@example.com", "kitch", ""];
    const made = await sit(person, "users", "create", "--json");
    expect(JSON.parse(made.stdout)).toMatchObject({ name: "Eve Adams", unit: { id: 3 } });
    const mistyped = await sit(["nobody, bob jones", "bob jones"], "users", "welcome");
    expect(mistyped).toMatchObject({ code: 0, stderr: expect.stringContaining("no user is called nobody") });
  });

  it("a number that is no ID: the error says how to write a reference", async () => {
    const { id } = await json("units", "create", "--name", "Depot", "--parent", "1", "--reference", "70010");
    const hint = "\nhint: A number is an ID; a reference begins with ref:, as in ref:1044.\n";
    expect((await wcs("units", "get", "70010")).stderr).toBe(`error: There is no unit 70010.${hint}`);
    const wrongUnit = await wcs("units", "create", "--name", "Shed", "--parent", "70010");
    expect(wrongUnit).toMatchObject({ code: 3, stderr: `error: --parent is not an existing unit: 70010.${hint}` });
    const wrongName = await wcs("units", "update", `${id}`, "--name", "");
    expect(wrongName).toMatchObject({ code: 3, stderr: expect.not.stringContaining("hint:") });
    for (const line of ["get 2025", "member add 2025 1"])
      expect((await wcs("groups", ...line.split(" "))).stderr).toBe("error: There is no group 2025.\n");
    expect(await wcs("units", "delete", "ref:70010", "--yes")).toMatchObject({ code: 0 });
  });
});

describeOnOneDatabase("names in place of IDs, local and over HTTP", (environment) => {
  let place: Place;
  beforeAll(async () => {
    place = await newPlace(environment);
    return () => place.close();
  });

  it("IDs take no further request, and names take one", async () => {
    const calls = async (...args: string[]) => {
      const { stderr } = await place.wcs([...args, "--verbose"]);
      return stderr.match(/^> /gm) ?? [];
    };
    expect(await calls("users", "get", "1")).toHaveLength(1);
    expect(await calls("users", "get", "Ada Lovelace")).toHaveLength(2);
    expect(await calls("users", "list", "--unit", "Acme", "--below")).toHaveLength(2);
  });
});
