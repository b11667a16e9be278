import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tableOf } from "../../src/cli/file-io/file-rows.ts";
import { unitRow } from "../../src/contract/unit-schemas.ts";
import { userRow } from "../../src/contract/user-schemas.ts";
import { usePlace } from "./places.ts";

const place = usePlace();
let count = 0;

/** Imports a file with these contents. */
async function imported(table: "users" | "units", contents: string | Uint8Array, ...more: string[]) {
  count += 1;
  const file = place().home.path(`rows-${count}${more.includes("ndjson") ? ".ndjson" : ".csv"}`);
  writeFileSync(file, contents);
  return run(table, file, ...more);
}

async function run(table: "users" | "units", file: string, ...more: string[]) {
  const stdin = file === "-" ? more.shift() : undefined;
  const { code, stderr } = await place().home.sit([table, "import", file, ...more, ...place().args], {
    ...(stdin !== undefined && { stdin }),
  });
  return { code, stderr: stderr.replaceAll(place().home.folder, "").trimEnd().split("\n") };
}

const summary = (created: number, changed: number, unchanged: number, left: number) =>
  `created ${created}, changed ${changed}, unchanged ${unchanged}, skipped ${left}`;
const leftOut = (left: number, all: number) => [
  `error: ${left} of ${all} row${all === 1 ? "" : "s"} ${left === 1 ? "was" : "were"} not imported.`,
  "hint: Correct these rows and import the file again; rows that are already imported stay unchanged.",
];

it("import takes columns in any order, and leaves fields without a column unchanged", async () => {
  expect(await imported("units", "name,reference\nOne,order-1\n")).toEqual({ code: 0, stderr: [summary(1, 0, 0, 0)] });
  const more = "parent,description,reference,name\nroot,Text,order-1,One\n";
  expect((await imported("units", more)).stderr).toEqual([summary(0, 1, 0, 0)]);
  expect((await imported("units", "name,reference\nOne,order-1\n")).stderr).toEqual([summary(0, 0, 1, 0)]);
});

it.each([
  ["reference,name,colour\n", "units have no column 'colour'."],
  ["reference,nmae\n", "units have no column 'nmae' (did you mean 'name'?)."],
  ["reference\n", "missing column name."],
  ["description\n", "missing columns reference, name."],
  ["reference,name,name\n", "the field name is given by column 'name' and by column 'name'."],
  ["reference,,name\n", "units have no column ''."],
  ["reference,name\rold-1,x\r", "the header line ends in a carriage return alone; save the file with the line ends"],
  ['reference,"name\nx,y\n', "the header line has an unclosed quote."],
])("import refuses a header like %j before it sends a row", async (header, message) => {
  const { code, stderr } = await imported("units", `${header}header-1,x\n`);
  expect(code).toBe(3);
  expect(stderr).toEqual([
    expect.stringMatching(/^error: \/rows-\d+\.csv: /),
    "hint: Columns are reference*, name*, parent, unit_type, description (* required).",
  ]);
  expect(stderr[0]).toContain(message);
});

it.each(['[{"reference":"A"}]', '{"reference":"A"}\n', '{"reference":"A","name":"B"}\n', "[\n{"])(
  "JSON %j in place of CSV gets advice",
  async (text) => {
    const { code, stderr } = await imported("units", text);
    expect([code, stderr]).toEqual([
      3,
      [
        expect.stringMatching(/the first line names no columns\.$/),
        expect.stringMatching(/^hint: It seems to be JSON: pass --format ndjson/),
      ],
    ]);
  },
);

it.each([
  [
    "504b030414000600",
    "an Excel workbook (.xlsx) or another ZIP archive; export it as CSV (UTF-8) and import that file",
  ],
  ["d0cf11e0a1b11ae1", "an Excel workbook (.xls); export it as CSV (UTF-8) and import that file"],
  ["6e0061006d006500", "UTF-16 without a byte order mark; save it as UTF-8"],
  ["006e0061006d0065", "UTF-16 without a byte order mark; save it as UTF-8"],
  ["1f8b080800000000", "compressed by gzip; unpack it, or export a CSV file (UTF-8)"],
])("import names the kind of a file that begins with %s", async (bytes, kind) => {
  for (const format of ["csv", "ndjson"]) {
    const { code, stderr } = await imported("users", Buffer.from(`${bytes}00ff0a`, "hex"), "--format", format);
    expect([code, stderr]).toEqual([3, [expect.stringMatching(/^error: \/rows-\d+\.\w+ seems to be /)]]);
    expect(stderr[0]).toContain(`seems to be ${kind}.`);
  }
});

it("import refuses an empty file, and accepts one with only a header", async () => {
  expect((await imported("units", "")).stderr[0]).toMatch(/is empty: its first line must name the columns\.$/);
  expect(await imported("units", "reference,name")).toEqual({ code: 0, stderr: [summary(0, 0, 0, 0)] });
});

it.each([
  ["there is no file", "missing.csv", "No such file: "],
  ["it is a directory", "folder", "is a directory"],
])("import exits with 2: %s", async (_, name, message) => {
  mkdirSync(place().home.path("folder"), { recursive: true });
  const { code, stderr } = await run("units", place().home.path(name));
  expect(code).toBe(2);
  expect(stderr[0]).toContain(message);
});

it("import errors repeat the name of the file as it was given", async () => {
  expect((await run("units", "docs")).stderr).toEqual(["error: Cannot read docs: it is a directory."]);
  const { stderr } = await run("users", "docs/architecture.md", "--map", "Mail=email");
  expect(stderr[0]).toBe("error: docs/architecture.md has no column 'Mail' (mapped to email).");
});

it("import skips a row that cannot be parsed, and continues on the next line", async () => {
  const rows = [
    "reference,name,description",
    'bad-1,Unit,"never closed',
    "good-1,Unit,Good",
    'bad-2,Unit,"closed" too early',
    'good-2,Unit,"two',
    'lines, and a ""quote"""',
    'bad-3,Unit,a "quote" and a \r within',
    "bad-4",
    "bad-5,a,b,c",
    "",
    ",,",
    'bad-6,A 6" pipe,"closed" too early',
    'good-3,Unit,"last',
    'line"',
  ];
  const expected = [
    "line 2 has text after a closing quote (also lines 4, 12)",
    "line 7, description: must not contain control characters other than tab and line feed",
    "line 8 has 1 column, and the header 3",
    "line 9 has 4 columns, and the header 3",
    summary(3, 0, 0, 6),
    ...leftOut(6, 9),
  ];
  expect((await imported("units", rows.join("\n"))).stderr).toEqual(expected);
  const { stdout } = await place().wcs(["units", "get", "--reference", "good-2", "--json"]);
  expect(JSON.parse(stdout).description).toBe('two\nlines, and a "quote"');
  const again = [...expected.slice(0, 4), summary(0, 0, 3, 6), ...leftOut(6, 9)];
  // Line breaks of Windows count as one, within quotes, too, and are kept as those of others.
  expect((await imported("units", rows.join("\r\n"))).stderr).toEqual(again);
});

it("import ignores spaces around a reference, and its Unicode normalization form", async () => {
  const rows = ["reference, name ,parent", "sp-1\u00a0,First,", " sp-\u00e9\t,Second,sp-1 "];
  expect((await imported("units", rows.join("\n"))).stderr).toEqual([summary(2, 0, 0, 0)]);
  expect((await imported("units", "reference,name,parent\nsp-1,First,\nsp-\u00e9,Second,sp-1\n")).stderr).toEqual([
    summary(0, 0, 2, 0),
  ]);
  // The parent of the first row is the unit of the last one, in another form.
  const many = Array.from({ length: 600 }, (_, at) => `sp-${at + 2},Many,`);
  const forms = ["reference,name,parent", "sp-a,Child,sp-a\u030a", ...many, "sp-\u00e5,Parent,"].join("\n");
  expect((await imported("units", forms, "-n")).stderr[0]).toBe(summary(602, 0, 0, 0));
  expect((await imported("units", forms)).stderr).toEqual([summary(602, 0, 0, 0)]);
  const person = "reference,first_name,last_name,email,unit\nsp-2 ,Ann,One,sp@example.com,sp-1 \n";
  expect((await imported("users", person)).stderr).toEqual([summary(1, 0, 0, 0)]);
  expect((await imported("users", person.replaceAll(" ", ""))).stderr).toEqual([summary(0, 0, 1, 0)]);
});

it("import reads semicolons, tabs and UTF-16, as spreadsheets write them", async () => {
  const rows = "reference;name\nsheet-1;Ærø, Øster\n";
  expect((await imported("units", rows)).stderr).toEqual([summary(1, 0, 0, 0)]);
  const unicode = Buffer.from(`\ufeff${rows.replaceAll(";", "\t").replaceAll("\n", "\r\n")}`, "utf16le");
  expect((await imported("units", unicode)).stderr).toEqual([summary(0, 0, 1, 0)]);
  expect((await imported("units", `\ufeff${rows}`)).stderr).toEqual([summary(0, 0, 1, 0)]);
});

it.each([
  ["Name, short;Key;About, in brief, or at length", "Name, short", ";"],
  ['"Name, short";"Key";"About, in brief"', "Name, short", ";"],
  ['"Name, ""short"", or not"\t"Key"\t"About;\nin brief"', 'Name, "short", or not', "\t"],
  ['"Name;short",Key,About', "Name;short", ","],
  ['Name 5", short;Key;About', 'Name 5", short', ";"],
  ["Name; Key; About, in brief", "Name", ";"],
  ["sep=;\r\nName, short;Key;About", "Name, short", ";"],
])("import finds the delimiter of the header %j", async (header, column, delimiter) => {
  const rows = `${header}\n${["One", "delimiter-1", "a b"].join(delimiter)}\n`;
  const mapping = [`"${column.replaceAll('"', '""')}"=last_name`, "Key=email"].flatMap((pair) => ["--map", pair]);
  const values = ["first_name=A", "unit=root"].flatMap((pair) => ["--set", pair]);
  const { stderr } = await imported("users", rows, ...mapping, ...values);
  expect(stderr[0]).toMatch(/^line [23], email: must be an e-mail address/);
});

it("import ignores empty columns without a name at the end, and rows of spaces", async () => {
  const rows = " ; \n\nreference;name; ;\nend-1;One;;\n \t\nend-2;Two;; \n ; ;;\nend-3;Three;;x\nend-4;Four\n";
  expect((await imported("units", rows)).stderr).toEqual([
    "line 8 has a value in column 4, which has no name",
    "line 9 has 2 columns, and the header 4",
    summary(2, 0, 0, 2),
    ...leftOut(2, 4),
  ]);
});

it("import names the command that adds a missing department", async () => {
  const rows = "first_name,last_name,email,unit,department\nA,One,a-one@example.com,root,Finance\n";
  const refused = (await imported("users", rows)).stderr;
  expect(refused[0]).toBe("line 2, department: is not a department of the unit: Finance");
  expect(refused.at(-1)).toContain("wcs units department add <unit> <name>");
  expect((await place().wcs(["units", "department", "add", "root", "Finance"])).code).toBe(0);
  expect((await imported("users", rows)).stderr).toEqual([summary(1, 0, 0, 0)]);
});

it("import skips a line that is not UTF-8, and accepts U+FFFD", async () => {
  const latin = Buffer.concat([
    Buffer.from("reference,name\nutf-1,Gr"),
    Buffer.from([0xfc]),
    Buffer.from("n\nutf-2,Good\n"),
  ]);
  expect((await imported("units", latin)).stderr.slice(0, 2)).toEqual([
    "line 2 contains invalid UTF-8; save the file as UTF-8",
    summary(1, 0, 0, 1),
  ]);
  expect((await imported("units", "reference,name\nutf-3,\ufffd\n")).stderr).toEqual([summary(1, 0, 0, 0)]);
});

it("import reads JSON lines by the name of the file or --format, also from stdin", async () => {
  const rows = [
    '{"reference":"json-1","name":"One","description":null}',
    "",
    '{"reference":"json-2","name":2}',
    '{"reference":"json-3","name":"Three","colour":"red"}',
    "[1]",
    "{",
    `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
    '{"reference":"json-5","name":"Five","__proto__":{"name":"Six"}}',
    '{"reference":"json-6","name":{"text":{"__proto__":1}}}',
    '{"reference":"json-4","parent":"json-1","name":"=Four"}',
  ].join("\n");
  const problems = [
    "line 3, name: must be a text",
    "line 4, colour: is not a field of this operation",
    "line 5 is not a JSON object",
    "line 6 is not JSON",
    "line 7 is nested deeper than 64 levels",
    "line 8 has the key '__proto__' (also line 9)",
  ];
  expect((await imported("units", rows, "--format", "ndjson")).stderr).toEqual([
    ...problems,
    summary(2, 0, 0, 7),
    ...leftOut(7, 9),
  ]);
  expect((await run("units", "-", rows, "--format", "ndjson")).stderr.at(-3)).toBe(summary(0, 0, 2, 7));
  expect((await run("units", "-", "reference,name\njson-4,Four\n", "--strict")).stderr).toEqual([summary(0, 1, 0, 0)]);
});

it("units import skips and names units whose parents form a cycle", async () => {
  const rows = "reference,name,parent\nc-1,One,c-3\nc-2,Two,c-1\nc-3,Three,c-2\nc-4,Four,c-4\nc-5,Five,c-1\nc-6,Six,\n";
  expect((await imported("units", rows)).stderr).toEqual([
    "line 2, parent: is below the unit itself: c-1 below c-3 below c-2 below c-1 (also lines 3-4)",
    "line 5, parent: is below the unit itself: c-4 below c-4",
    "line 6, parent: is not the reference of a unit: c-1",
    summary(1, 0, 0, 5),
    ...leftOut(5, 6),
  ]);
});

it("units import takes units of many batches in any order, also in a dry run", async () => {
  // A tree in which each unit has three below it, the lowest first.
  const all = Array.from(
    { length: 1300 },
    (_, at) => `t-${at},Unit ${at},${at === 0 ? "" : `t-${Math.floor((at - 1) / 3)}`}`,
  );
  const file = `reference,name,parent\n${all.toReversed().join("\n")}\nt-5,Again,t-1\nt-1299,Unit 1299,t-432\n`;
  const said = [summary(1300, 1, 1, 0)];
  expect((await imported("units", file, "-n")).stderr).toEqual([...said, "Dry run: nothing was changed."]);
  expect((await imported("units", file)).stderr).toEqual(said);
  expect((await imported("units", file)).stderr).toEqual([summary(0, 2, 1300, 0)]);
});

it("users import --dry-run knows the users that earlier batches would have created or changed", async () => {
  const row = (at: number, fields: { email?: string; title?: string; reference?: string } = {}) => {
    const { email = `many${at}@example.com`, title = "", reference = `many-${at}` } = fields;
    return `${reference},Many,No${at},${email},root,${title}`;
  };
  const rows = [
    ...Array.from({ length: 2100 }, (_, at) => row(at)),
    row(1),
    row(2, { title: "Changed" }),
    row(2, { title: "Changed" }),
    row(3, { reference: "other" }),
    row(4, { reference: "", email: "MANY4@example.com" }),
    row(5, { reference: "", title: "Found by e-mail" }),
  ];
  const file = `reference,first_name,last_name,email,unit,title\n${rows.join("\n")}\n`;
  const rehearsed = await imported("users", file, "-n");
  expect(rehearsed.stderr).toEqual([
    "line 2105, email: is taken by line 5",
    summary(2100, 3, 2, 1),
    "Dry run: nothing was changed.",
    "error: 1 of 2106 rows was not imported.",
    "hint: If another row gives up the e-mail address that is taken, move both rows to the beginning of the file. To free the address of a user who has left, run wcs users update <id> --email <address>.",
  ]);
  const carriedOut = await imported("users", file);
  expect(carriedOut.stderr.slice(1)).toEqual(rehearsed.stderr.toSpliced(2, 1).slice(1));
  expect(carriedOut.stderr[0]).toMatch(/^line 2105, email: is taken by user \d+$/);
});

it("import prints equal issues as one line with the first runs of rows", async () => {
  const wrong = new Set([3, 5, 6, 9, 11, 13, 15, 16, 17]);
  const row = (line: number) => (wrong.has(line) ? `f-${line},Fold,atlantis` : `f-${line},Fold,`);
  const rows = Array.from({ length: 20 }, (_, at) => row(at + 2));
  const { stderr } = await imported("units", `reference,name,parent\n${rows.join("\n")}\nf-40\nf-41\n`, "-n");
  expect(stderr.slice(0, 2)).toEqual([
    "line 3, parent: is not the reference of a unit: atlantis (also lines 5-6, 9, 11, 13, 15-17)",
    "line 22 has 1 column, and the header 3 (also line 23)",
  ]);
  const alternating = Array.from({ length: 20 }, (_, at) => row(at % 2 === 0 ? 3 : at + 30));
  const many = await imported("units", `reference,name,parent\n${alternating.join("\n")}\n`, "-n");
  expect(many.stderr[0]).toBe(
    "line 2, parent: is not the reference of a unit: atlantis (also lines 4, 6, 8, 10, 12 and 4 more)",
  );
});

it("import prints at most 100 different issues, and says where the others are", async () => {
  const rows = Array.from({ length: 130 }, (_, at) => `x-${at},X,nowhere-${at}`);
  const file = `reference,name,parent\n${rows.join("\n")}\n`;
  const { stderr } = await imported("units", file);
  expect(stderr).toHaveLength(101 + 3);
  expect(stderr[100]).toBe("issues of 30 more rows are not shown; --results FILE writes all");
  const results = place().home.path("many.csv");
  expect((await imported("units", file, "--results", results)).stderr[100]).toBe(
    "issues of 30 more rows are in /many.csv",
  );
  expect(readFileSync(results, "utf8").split("\n")).toHaveLength(132);
});

it("import --results does not overwrite the imported file, and keeps earlier results when no row is read", async () => {
  const file = place().home.path("same.csv");
  writeFileSync(file, "reference,nme\n");
  expect((await run("units", file, "--results", file)).code).toBe(2);
  const results = place().home.path("results.csv");
  writeFileSync(results, "earlier");
  expect((await run("units", file, "--results", results)).code).toBe(3);
  expect(readFileSync(results, "utf8")).toBe("earlier");
  const { code, stderr } = await run("units", file, "--results", place().home.path("nowhere/results.csv"));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: ["error: Cannot write /nowhere/results.csv: its folder does not exist."],
  });
});

it.each([
  ["users", tableOf("users", userRow())],
  ["units", tableOf("units", unitRow())],
] as const)(
  "the help of %s import names all columns, and those that must be there",
  async (name, { columns, required }) => {
    const { stdout } = await place().home.sit([name, "import", "--help"]);
    // A range of fields is written short.
    const named = columns.filter((column) => !/^meta_field_[1-3]$/.test(column));
    const words = stdout.split(/[\s,.;:()]+/);
    expect(named.filter((column) => !words.includes(required.includes(column) ? `${column}*` : column))).toEqual([]);
  },
);

it("a value that makes the body of a request too large is named by its flag", async () => {
  const file = place().home.path("long.txt");
  writeFileSync(file, "x".repeat(2_000_000));
  expect(await place().wcs(["units", "update", "1", "--description", `@${file}`])).toMatchObject({
    code: 3,
    stderr: "error: --description must have at most 10000 characters.\n",
  });
});
