import { expect, it } from "vitest";
import { names } from "../../src/contract/names.ts";
import type { ArgumentsOf, Caller, CallOptions } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";
import { allRows } from "../support/tables.ts";

type Input = ArgumentsOf<typeof units.import>;

describeOnOneDatabase("units.import", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const run = async (
    rows: Input["rows"],
    { by = admin(), assume, ...options }: { by?: Caller; assume?: string[] } & CallOptions = {},
  ) => (await by.call(units.import, { rows, assume }, options)).results;
  const actions = (results: Awaited<ReturnType<typeof run>>) => results.map((result) => result.action);
  const get = (reference: string) => admin().call(units.reference, { reference });
  let count = 0;
  const row = (fields: Record<string, unknown> = {}) => {
    count += 1;
    return { reference: `u${count}`, name: `Imported ${count}`, parent: "yard", ...fields } as Record<
      string,
      unknown
    > & { reference: string };
  };

  it("creates units by reference, also children before parents; a second run changes nothing", async () => {
    const [top, middle, leaf] = [row(), row(), row()];
    middle.parent = top.reference;
    leaf.parent = middle.reference;
    const rows = [
      leaf,
      middle,
      { ...top, unit_type: "department", description: "d" },
      row({ parent: "" }),
      row({ parent: undefined }),
    ];
    const results = await run(rows);
    expect(actions(results)).toEqual(["created", "created", "created", "created", "created"]);
    expect(results.map((result) => result.reference)).toEqual(rows.map((each) => each.reference));
    expect(await get(leaf.reference)).toMatchObject({ id: results[0]!.id, level: 5, parent: { id: results[1]!.id } });
    expect(await get(top.reference)).toMatchObject({
      unit_type: "department",
      description: "d",
      parent: { id: world().units.yard },
    });
    expect(await get(rows[3]!.reference)).toMatchObject({ level: 1 });
    expect(await get(rows[4]!.reference)).toMatchObject({ level: 1 });
    const before = await allRows(world().instance.database);
    world().instance.wait(1);
    expect(actions(await run(rows))).toEqual(["unchanged", "unchanged", "unchanged", "unchanged", "unchanged"]);
    // The second call is recorded in these tables.
    const besides = { idempotency_keys: [], audit_entries: [] };
    expect({ ...(await allRows(world().instance.database)), ...besides }).toEqual({ ...before, ...besides });
  });

  it("changes what differs; a missing column changes nothing", async () => {
    const first = row({ description: "Old", unit_type: "department" });
    await run([first]);
    const { reference } = first;
    expect(actions(await run([{ reference, name: "Renamed" }]))).toEqual(["changed"]);
    expect(await get(reference)).toMatchObject({
      name: "Renamed",
      description: "Old",
      unit_type: "department",
      parent: { id: world().units.yard },
    });
    expect(actions(await run([{ reference, name: "Renamed", unit_type: "", description: "" }]))).toEqual(["changed"]);
    expect(await get(reference)).toMatchObject({ description: "", unit_type: "department" });
    const { data } = await admin().call(units.list, { name: "renamed" });
    expect(data).toHaveLength(1);
  });

  it("moves branches, also those that the same import created or changed", async () => {
    const [a, b, c] = [row(), row(), row()];
    await run([a, { ...b, parent: a.reference }, { ...c, parent: b.reference }]);
    const results = await run([
      { ...b, parent: "south" },
      { ...c, parent: a.reference },
      { ...a, parent: b.reference },
    ]);
    expect(actions(results)).toEqual(["changed", "changed", "changed"]);
    expect(await get(c.reference)).toMatchObject({ level: 4, parent: { id: results[2]!.id } });
    expect((await get("south")).stats.children_total).toBe(3);
    await run([{ ...b, parent: "yard" }]);
  });

  it("an empty parent is the root", async () => {
    const first = row();
    await run([first]);
    expect(actions(await run([{ ...first, parent: "" }]))).toEqual(["changed"]);
    expect((await get(first.reference)).level).toBe(1);
  });

  it("skips invalid rows with all their issues, and the rows below them", async () => {
    const [good, bad, below] = [row(), row({ name: "", unit_type: "shop", colour: 1 }), row()];
    below.parent = bad.reference;
    const [one, other] = [row(), row()];
    one.parent = other.reference;
    other.parent = one.reference;
    const self = row();
    self.parent = self.reference;
    const several = [
      row({ name: "", parent: "nowhere" }),
      row({ name: 5, parent: below.reference }),
      { ...good, unit_type: "shop", parent: good.reference },
      { reference: "root", name: "Acme", parent: "yard", colour: 1 },
      { ...good, name: "" },
    ];
    const rows = [
      bad,
      below,
      good,
      row({ parent: "nowhere" }),
      one,
      other,
      self,
      {},
      row({ reference: "" }),
      ...several,
    ];
    const results = await run(rows);
    expect(actions(results)).toEqual(rows.map((each) => (each === good ? "created" : "skipped")));
    expect(results.map((result) => Object.keys(result.fields ?? {}).sort())).toEqual([
      ["colour", "name", "unit_type"],
      ["parent"],
      [],
      ["parent"],
      ["parent"],
      ["parent"],
      ["parent"],
      ["name", "reference"],
      ["reference"],
      ["name", "parent"],
      ["name", "parent"],
      ["parent", "unit_type"],
      ["colour", "parent"],
      ["name"],
    ]);
    expect(await get(good.reference)).toMatchObject({ name: good.name });
    expect(
      [below, rows[3], one, self].map((each) => results[rows.indexOf(each!)]?.issues?.map(({ code }) => code)),
    ).toEqual([["unreachable_unit"], ["no_such_unit"], ["unreachable_unit"], ["unreachable_unit"]]);
  });

  it("refuses to move a unit below itself, and to move the root", async () => {
    const [top, below] = [row(), row()];
    below.parent = top.reference;
    await run([top, below]);
    const root = { reference: "root", name: "Acme" };
    const results = await run([
      { ...top, parent: below.reference },
      { ...top, parent: top.reference },
      { ...root, parent: "yard" },
      { ...root, parent: "" },
      { ...root, name: "Acme A/S" },
      { ...root },
    ]);
    expect(actions(results)).toEqual(["skipped", "skipped", "skipped", "unchanged", "changed", "changed"]);
  });

  it("creates one unit for repeated rows", async () => {
    const twice = row();
    const results = await run([twice, { ...twice }, { ...twice, name: "Third" }]);
    expect(actions(results)).toEqual(["created", "unchanged", "changed"]);
    expect(new Set(results.map((result) => result.id)).size).toBe(1);
  });

  it("compares references exactly, whatever they contain", async () => {
    const odd = ["__proto__", "constructor", "a/b", "Ø ", "'; drop table units; --"].map((reference) =>
      row({ reference }),
    );
    expect(actions(await run(odd))).toEqual(odd.map(() => "created"));
    expect(actions(await run(odd.map((each) => ({ ...each, name: "Again", parent: "__proto__" })).slice(1)))).toEqual(
      odd.slice(1).map(() => "changed"),
    );
    for (const { reference } of odd) expect(await codeOf(get(reference))).toBe("ok");
  });

  it("matches references in both forms of Unicode", async () => {
    const composed = "\u00e9t\u00e9";
    const decomposed = composed.normalize("NFD");
    const below = row({ parent: composed });
    expect(actions(await run([below, row({ reference: decomposed })]))).toEqual(["created", "created"]);
    const { id, reference } = await get(composed);
    expect(reference).toBe(composed);
    const { data } = await admin().call(names.find, { texts: [decomposed], kinds: ["units"] });
    expect(data).toMatchObject([{ id, match: "reference" }]);
    expect(await get(decomposed)).toMatchObject({ id });
    expect((await get(below.reference)).parent).toMatchObject({ id });
    expect(await codeOf(admin().call(units.create, { name: "Twin", parent: 1, reference: decomposed }))).toBe(
      "conflict",
    );
  });

  it("a dry run returns the results and changes nothing; it may assume units of an earlier part", async () => {
    const before = await allRows(world().instance.database);
    const [first, second] = [row(), row()];
    const rows = [
      first,
      { ...second, parent: first.reference },
      { reference: "yard", name: "Yard", parent: "harbour" },
    ];
    const results = await run(rows, { dryRun: true });
    expect(actions(results)).toEqual(["created", "created", "changed"]);
    const { name, parent } = await get("yard");
    expect(results.map(({ changes }) => changes)).toEqual([
      undefined,
      undefined,
      [
        ...(name === "Yard" ? [] : [{ field: "name", before: name, after: "Yard" }]),
        { field: "parent", before: (await admin().call(units.get, { id: parent!.id })).reference, after: "harbour" },
      ],
    ]);
    const rest = await run([row({ parent: first.reference }), { ...first, name: "x" }], {
      dryRun: true,
      assume: [first.reference],
    });
    expect(rest).toMatchObject([
      { action: "created", id: null },
      { action: "unchanged", id: null },
    ]);
    expect(await allRows(world().instance.database)).toEqual(before);
  });

  it("refuses assume outside of dry runs", async () => {
    expect(await wrongFields(run([row({ parent: "assumed" })], { assume: ["assumed"] }))).toEqual(["assume"]);
  });

  it("a manager imports into the own branch only", async () => {
    const { manager } = world().actors;
    const results = await run(
      [
        row(),
        row({ parent: "south" }),
        row({ parent: "" }),
        { reference: "south", name: "Taken over" },
        { reference: "south", name: "South", parent: "yard" },
        { reference: "yard", name: "Yard", parent: "south" },
        { reference: "yard", name: "The yard" },
        { reference: "south", name: "South" },
        { reference: "south", name: "" },
        row({ name: "", parent: "south" }),
      ],
      { by: manager },
    );
    expect(actions(results)).toEqual([
      "created",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "changed",
      "unchanged",
      "skipped",
      "skipped",
    ]);
    expect(results.map((result) => Object.keys(result.fields ?? {}))).toEqual([
      [],
      ["parent"],
      ["parent"],
      ["reference"],
      ["reference"],
      ["parent"],
      [],
      [],
      ["name", "reference"],
      ["name", "parent"],
    ]);
  });

  it("imports a chain of 100 levels, the lowest first", async () => {
    const chain = Array.from({ length: 100 }, () => row({ parent: `u${count}` }));
    chain[0]!.parent = "south";
    const results = await run(chain.toReversed());
    expect(actions(results).reverse()).toEqual(chain.map((_, n) => (n < 99 ? "created" : "skipped")));
    expect(Object.keys(results[0]!.fields ?? {})).toEqual(["parent"]);
    expect(await get(chain[98]!.reference)).toMatchObject({ level: 100 });
    const top = await get(chain[0]!.reference);
    expect(top.stats.children_total).toBe(98);
    const { id } = await get("yard");
    expect(await codeOf(admin().call(units.move, { id: top.id, parent: id }))).toBe("conflict");
    expect(actions(await run([{ ...chain[0]!, parent: "yard" }]))).toEqual(["skipped"]);
    const [lower] = await run([row({ parent: "yard" })]);
    expect(await codeOf(admin().call(units.delete, { id: top.id, transfer: lower!.id! }))).toBe("conflict");
    const [single] = await run([row()]);
    const move = async (parent: string) =>
      codeOf(admin().call(units.move, { id: single!.id!, parent: (await get(parent)).id }));
    expect([await move(chain[97]!.reference), await move(chain[98]!.reference)]).toEqual(["ok", "conflict"]);
    expect([await move(chain[48]!.reference), await move(chain[58]!.reference)]).toEqual(["ok", "ok"]);
    const last = await get(chain[98]!.reference);
    expect(await codeOf(admin().call(units.create, { name: "Too deep", parent: last.id }))).toBe("conflict");
  });

  it("imports 1,000 rows below one parent", async () => {
    const rows = Array.from({ length: 1001 }, () => row());
    expect(await wrongFields(run(rows))).toEqual(["rows"]);
    expect(new Set(actions(await run(rows.slice(1))))).toEqual(new Set(["created"]));
    expect((await get("yard")).stats.children).toBeGreaterThanOrEqual(1000);
  });
});
