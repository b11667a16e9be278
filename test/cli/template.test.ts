import { expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();
const wcs = (...args: string[]) => home().wcs(args);

it("-t prints a line for each item of a list, also on a terminal", async () => {
  const expected = { code: 0, stdout: "1: Acme, level 0\n2: Sales, level 1\n" };
  const line = ["units", "list", "-t", "{id}: {name}, level {level}"];
  expect(await wcs(...line)).toMatchObject(expected);
  expect(await home().sit(line, { screen: { width: 40, height: 10 } })).toMatchObject(expected);
  expect((await wcs("units", "list", "--template={name}", "--limit", "1")).stdout).toBe("Acme\n");
});

it("-t prints one line for a single item, with values as in rows", async () => {
  expect((await wcs("users", "get", "1", "-t", "{name}\\t{admin}\\t{unit.name}")).stdout).toBe(
    "Ada Lovelace\tyes\tAcme\n",
  );
  expect((await wcs("units", "get", "2", "-t", "{parent.id} {reference} {name} {}{ {1}")).stdout).toBe(
    "1 SALES Sales {}{ {1}\n",
  );
  const made = await wcs("units", "create", "--name", "West", "--parent", "2", "-t", "{id}");
  expect(made).toMatchObject({ code: 0, stdout: "3\n" });
  expect((await wcs("webhooks", "list", "-t", "{id}")).stdout).toBe("");
  expect((await wcs("settings", "get", "timezone", "-t", "zone {timezone}")).stdout).toBe("zone UTC\n");
});

it("-t takes times in the zone of --tz", async () => {
  await wcs("events", "create", "--type", "user", "--title", "Lunch", "--start", "2030-07-01T10:00Z", "--end", "+1h");
  const { stdout } = await wcs("events", "list", "--tz", "Europe/Berlin", "-t", "{title} {dates.start}");
  expect(stdout).toBe("Lunch 2030-07-01T12:00:00+02:00\n");
});

it("-t names an unknown field before anything is done", async () => {
  const create = ["units", "create", "--name", "South", "--parent", "2", "-t", "{id} {nmae}"];
  expect(await wcs(...create)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "error: --template: unknown field 'nmae'.\nhint: Did you mean 'name'?\n",
  });
  expect((await wcs("units", "list", "-t", "{name}", "--query", "[?name=='South']")).stdout).toBe("");
  expect((await wcs("units", "list", "-t", "{unit.colour}")).stderr).toContain("unknown field 'unit.colour'");
  expect(await wcs("profile", "list", "-t", "{nmae}")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/unknown field 'nmae'\.\nhint: Did you mean 'name'\?/),
  });
});

it("-t applies to objects that --query returns, and to no other format", async () => {
  const query = ["units", "list", "--query", "[].{n: name, id: id}"];
  expect((await wcs(...query, "-t", "{n}/{id}")).stdout).toMatch(/^Acme\/1\nSales\/2\n/);
  expect(await wcs(...query, "-t", "{name}")).toMatchObject({ code: 2, stdout: "" });
  expect((await wcs("units", "list", "--query", "[].name", "-t", "{name}")).code).toBe(2);
  for (const other of [["--json"], ["-o", "csv"], ["--fields", "id"], ["--raw"]]) {
    const { code, stderr } = await wcs("units", "list", "-t", "{id}", ...other);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/cannot be used together/) });
  }
  expect(await wcs("units", "list", "-t", "id")).toMatchObject({ code: 2, stderr: expect.stringContaining("'{id}") });
});
