import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { environments } from "../support/instance.ts";
import { data, newPlace, type Place, usePlace } from "./places.ts";

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) await place.close();
});

const done = async (place: Place, ...args: string[]) => {
  const { code, stdout, stderr } = await place.wcs(args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
};

/** Returns what `export` writes in a place, as CSV and as JSON lines. */
async function everything(place: Place) {
  const path = (name: string) => place.home.path(name);
  for (const table of ["units", "users"]) {
    for (const end of ["csv", "ndjson"]) await done(place, table, "export", path(`${table}.${end}`));
  }
  const read = (name: string) => readFileSync(path(name), "utf8");
  return {
    csv: { units: read("units.csv"), users: read("users.csv") },
    ndjson: { units: read("units.ndjson"), users: read("users.ndjson") },
    stdout: { units: await done(place, "units", "export"), users: await done(place, "users", "export", "-") },
  };
}

describe("export", () => {
  const origin = usePlace();
  let first: Awaited<ReturnType<typeof everything>>;

  it("users export and units export write what import read, to a file and to stdout", async () => {
    const place = origin();
    await done(place, "units", "import", join(data, "units.csv"));
    await done(place, "users", "import", join(data, "users.csv"), "--create-user-types");
    first = await everything(place);
    expect(first.stdout).toEqual(first.csv);
    expect(first.csv.units.split("\n").toSorted()).toEqual(
      readFileSync(join(data, "units.csv"), "utf8").split("\n").toSorted(),
    );
    const order = first.ndjson.units.trimEnd().split("\n");
    const references = "dk cph cph-k cph-k-hr cph-n gr ath jp osa mx gdl".split(" ");
    expect(order.map((line) => JSON.parse(line).reference)).toEqual(references);
    expect(first.csv.users).toContain("\ne-04,Juana Inés,de la Cruz,juana@example.com,gdl,Employee;Shift lead,,");
    expect(first.csv.users).toContain(
      `,"Poeta, monja",'+52 33 1234 5678,1648-11-12,es,America/Mexico_City,local,,,,,\n`,
    );
    expect(JSON.parse(first.ndjson.users.split("\n")[0]!)).toMatchObject({ reference: null, unit: "root" });
    const unchanged = await place.wcs(["users", "import", place.home.path("users.csv")]);
    expect(unchanged.stderr).toBe("created 0, changed 0, unchanged 11, skipped 0\n");
  });

  it.each(environments)(
    "imported into another instance ($database, $caller) comes out equal, byte by byte",
    async (environment) => {
      const place = await newPlace(environment);
      places.push(place);
      const format = environment.caller === "http" ? "csv" : "ndjson";
      await done(place, "units", "import", origin().home.path(`units.${format}`));
      await done(place, "users", "import", origin().home.path(`users.${format}`), "--create-user-types");
      expect(await everything(place)).toEqual(first);
    },
  );
});
