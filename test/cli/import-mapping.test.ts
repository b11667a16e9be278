import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { describePlaces, type Place, usePlace } from "./places.ts";

/** As a payroll program writes it: BOM, semicolons, CR LF, and the names of its own columns. */
const german = [
  "\ufeffPers.-Nr.;Vorname;Nachname;E-Mail (dienstl.);Geburtsdatum;Funktion;Kostenstelle;Eintritt",
  "P-001;Jürgen;Groß;juergen.gross@example.com;1984-03-09;Schichtleiter;4711;2001-01-01",
  'P-002;Åse;"Sørensen; Lund";aase.soerensen@example.com;;"Leiterin ""Nord""";4712;2019-08-01',
  "",
].join("\r\n");
const map = "Pers.-Nr.=reference,vorname=first_name,NACHNAME=last_name,E-Mail (dienstl.)=email,Geburtsdatum=birthday";

const rooted = async (place: Place) => place.wcs(["units", "update", "1", "--reference", "hq"]);

describePlaces("an export of another program", (place) => {
  beforeAll(() => rooted(place()));
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs(args);
    return { code, stdout, stderr: stderr.trimEnd().split("\n") };
  };
  const unmapped = [
    "Columns that are not imported: 'Kostenstelle', 'Eintritt'.",
    "Fields without a column: user_types, department, phone, language, timezone, meta_field_0, meta_field_1, meta_field_2, meta_field_3, meta_field_4.",
  ];

  it("is imported by a mapping, which a file keeps for the next time", async () => {
    const [file, saved] = [place().home.path("personal.csv"), place().home.path("personal.yaml")];
    writeFileSync(file, german);
    const flags = ["--map", map, "--map", "Funktion=title", "--set", "unit=hq", "--set", "provider=okta"];
    const first = await run("users", "import", file, ...flags, "--key", "reference", "--save-mapping", saved);
    expect(first).toMatchObject({ code: 0, stderr: [...unmapped, "created 2, changed 0, unchanged 0, skipped 0"] });
    const again = await run("users", "import", file, "--mapping", saved);
    expect(again.stderr).toEqual([...unmapped, "created 0, changed 0, unchanged 2, skipped 0"]);
    expect(readFileSync(saved, "utf8")).toBe(
      [
        "columns:",
        "  Pers.-Nr.: reference",
        "  vorname: first_name",
        "  NACHNAME: last_name",
        "  E-Mail (dienstl.): email",
        "  Geburtsdatum: birthday",
        "  Funktion: title",
        "values:",
        "  unit: hq",
        "  provider: okta",
        "key: reference",
        "",
      ].join("\n"),
    );
    const { stdout } = await run("users", "get", "--reference", "P-002", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      name: "Åse Sørensen; Lund",
      title: 'Leiterin "Nord"',
      birthday: null,
      provider: ["okta"],
      unit: { id: 1 },
    });
  });

  it("--json has the same facts as data", async () => {
    const [file, saved] = [place().home.path("personal.csv"), place().home.path("personal.yaml")];
    const { stdout } = await run("users", "import", file, "--mapping", saved, "--map", "Kostenstelle=", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      unchanged: 2,
      unmapped_columns: ["Eintritt"],
      fields_without_column: expect.arrayContaining(["phone", "user_types"]),
    });
  });

  it("JSON lines are mapped as well, and a saved mapping may be JSON", async () => {
    const [file, saved] = [place().home.path("personal.ndjson"), place().home.path("personal.json")];
    const person = { "Pers.-Nr.": "P-003", Vorname: "Ane", Nachname: "Bo", mail: "ane@example.com", Eintritt: "2020" };
    writeFileSync(file, `${JSON.stringify(person)}\n${JSON.stringify({ ...person, Mail: "other@example.com" })}\n`);
    const flags = ["--map", "Pers.-Nr.=reference,Vorname=first_name,Nachname=last_name,Mail=email", "--set", "unit=hq"];
    const { code, stderr } = await run("users", "import", file, ...flags, "--save-mapping", saved);
    expect(code).toBe(3);
    expect(stderr).toContain("line 2, email: is given twice: by mail and by Mail");
    expect(stderr).toContain("Columns that are not imported: 'Eintritt'.");
    expect(JSON.parse(readFileSync(saved, "utf8"))).toMatchObject({
      columns: { Mail: "email" },
      values: { unit: "hq" },
    });
    writeFileSync(file, `${JSON.stringify(person)}\n`);
    expect((await run("users", "import", file, "--mapping", saved)).stderr).toContain(
      "created 0, changed 0, unchanged 1, skipped 0",
    );
    writeFileSync(saved, Buffer.from("columns: {Stra\xdfe: title}\n", "latin1"));
    expect(await run("users", "import", file, "--mapping", saved)).toMatchObject({
      code: 2,
      stderr: expect.arrayContaining([`error: --mapping: ${saved} is not encoded in UTF-8.`]),
    });
  });

  it("an export that is mapped to other names and back is the same data", async () => {
    const [file, other] = [place().home.path("own.csv"), place().home.path("other.csv")];
    await run("users", "export", file);
    const [header = "", ...lines] = readFileSync(file, "utf8").split(/\r?\n/);
    const fields = header.split(",");
    const column = (field: string) => `"Das Feld, ""${field}"" = ?"`;
    writeFileSync(other, [fields.map(column).join(","), ...lines].join("\n"));
    const mapping = fields.map((field) => `${column(field)}=${field}`);
    const { code, stderr } = await run("users", "import", other, "--map", mapping.join(", "));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: [`created 0, changed 0, unchanged ${lines.length - 1}, skipped 0`],
    });
  });
});

describe("users import", () => {
  const place = usePlace();
  beforeAll(() => rooted(place()));
  let count = 0;
  const imported = async (contents: string, ...flags: string[]) => {
    count += 1;
    const file = place().home.path(`rows-${count}.csv`);
    writeFileSync(file, contents);
    const { code, stderr } = await place().wcs(["users", "import", file, ...flags]);
    return { code, stderr: stderr.replaceAll(`${place().home.folder}/`, "").replace(/rows-\d+/g, "rows") };
  };
  const header = "ID,Mail,E-Post,first_name,last_name,unit\n";
  const rows = `${header}1,a@example.com,b@example.com,A,B,hq\n`;

  it.each([
    ["ID", "'ID' does not have the form Column=field"],
    ["=reference", "'=reference' does not have the form Column=field"],
    ['"ID=reference', "'\"ID=reference' does not have the form Column=field"],
    ["ID=refrence", "users have no field 'refrence', so column 'ID' cannot be mapped (did you mean 'reference'?)"],
    ["ID=password", "users have no field 'password', so column 'ID' cannot be mapped"],
    ["Mail=email,E-Post=email", "the field email is given by column 'Mail' and by column 'E-Post'; choose one"],
    ["Mail=email,mail=title", "column 'mail' is mapped to 'email' and to 'title'; map it to one field"],
    ["Mail=email,ID=reference,Personal=title", "rows.csv has no column 'Personal' (mapped to title)"],
    [
      "ID=reference,Mail=email,E-Post=unit",
      "the field unit is given by column 'E-Post' and by column 'unit'.\nhint: Leave a column out with --map 'Column=', or remove it from the file.",
    ],
  ])("--map %j is refused before a row is sent", async (mapping, message) => {
    const { code, stderr } = await imported(rows, "--map", mapping);
    expect(code).toBe(2);
    expect(stderr.toLowerCase()).toContain(message.toLowerCase());
    expect((await place().wcs(["users", "list", "--all", "-o", "csv", "--fields", "id"])).stdout).toBe("id\n1\n");
  });

  it.each([
    [["--set", "title"], "--set: 'title' does not have the form field=value"],
    [["--set", "titel=x"], "users have no field 'titel', so it cannot be set (did you mean 'title'?)"],
    [["--set", "title=x", "--set", "title=y"], "--set gives title twice"],
    [["--set", "email=a@example.com"], "email identifies a row, so it cannot be set to one value for all rows"],
    [
      ["--set", "title=x", "--map", "ID=title"],
      "the field title is given by column 'ID' and by one value for all rows; choose one",
    ],
    [
      ["--set", "unit=hq", "--map", "Mail=email"],
      "the field unit is given by column 'unit' and by one value for all rows",
    ],
    [["--key", "phone"], "--key must be one of reference, email, not 'phone'"],
    [["--save-mapping", "x.yaml"], "--save-mapping needs a mapping"],
    [["--mapping", "/nowhere.yaml"], "--mapping: No such file: /nowhere.yaml"],
  ])("%j is refused", async (flags, message) => {
    const { code, stderr } = await imported(rows, ...flags);
    expect(code).toBe(2);
    expect(stderr.toLowerCase()).toContain(message.toLowerCase());
  });

  it.each([
    ["columns: [", "is neither YAML nor JSON"],
    [`columns: ${"[".repeat(64)}`, "The file is nested deeper than 64 levels"],
    ["columns:\n  Mail: email\n  Mail: title\n", "is neither YAML nor JSON"],
    ["columns: &a {}\nvalues: *a\n", "has aliases"],
    ["colums: {}\n", "colums is not a field of this operation"],
    ["values:\n  meta_field_0: 42\n", "values.meta_field_0 must be text; put it in quotes"],
    ["key: phone\n", "key must be one of reference, email"],
    ["columns:\n  Mail: emial\n", "users have no field 'emial'"],
  ])("a mapping file with %j is refused", async (text, message) => {
    const saved = place().home.path("bad.yaml");
    writeFileSync(saved, text);
    const { code, stderr } = await imported(rows, "--mapping", saved);
    expect(code).toBe(2);
    expect(stderr.toLowerCase()).toContain(message.toLowerCase());
  });

  it("a file without the column of the key is refused before a row is sent", async () => {
    const { code, stderr } = await imported(
      "email,first_name,last_name,unit\nx@example.com,A,B,hq\n",
      "--key",
      "reference",
    );
    expect(code).toBe(3);
    expect(stderr).toContain("rows.csv: missing column reference.");
    const mapped = await imported(rows, "--map", "ID=reference");
    expect(mapped).toMatchObject({ code: 3, stderr: expect.stringContaining("rows.csv: missing column email.") });
    expect(mapped.stderr).toContain("The file has the columns 'ID', 'Mail', 'E-Post'");
  });

  it("--save-mapping does not overwrite the imported file", async () => {
    const file = place().home.path("same.csv");
    writeFileSync(file, rows);
    const { code, stderr } = await place().wcs(["users", "import", file, "--map", "ID=", "--save-mapping", file]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "error: --save-mapping would overwrite the imported file.\n" });
  });

  it("--key email matches by e-mail address and gives a new reference; a dry run says the same", async () => {
    const head = "reference,email,first_name,last_name,unit\n";
    await imported(`${head}k-1,k1@example.com,K,One,hq\nk-2,k2@example.com,K,Two,hq\n`);
    const moved = `${head}k-3,k1@example.com,K,One,hq\nk-2,k1@example.com,K,One,hq\n`;
    const expected = {
      code: 3,
      stderr: expect.stringMatching(
        /^line 3, reference: is taken by user \d+\ncreated 0, changed 1, unchanged 0, skipped 1\n/,
      ),
    };
    expect(await imported(moved, "--key", "email", "--dry-run")).toEqual(expected);
    expect(await imported(moved, "--key", "email")).toEqual(expected);
    const blank = await imported(`${head},k1@example.com,K,One,hq\n`, "--key", "reference");
    expect(blank).toMatchObject({ code: 3, stderr: expect.stringContaining("line 2, reference: is required\n") });
  });

  it("--dry-run --key email: a reference is taken by an earlier batch", async () => {
    const head = "reference,email,first_name,last_name,unit\n";
    const many = Array.from({ length: 1000 }, (_, at) => `m-${at},m${at}@example.com,M,No${at},hq\n`).join("");
    const contents = `${head}${many}m-7,other@example.com,M,Other,hq\nm-1000,m8@example.com,M,No8,hq\n`;
    const summary = "created 1000, changed 1, unchanged 0, skipped 1";
    const rehearsed = await imported(contents, "--key", "email", "--dry-run");
    expect(rehearsed.stderr).toContain(`line 1002, reference: is taken by line 9\n${summary}`);
    expect((await imported(contents, "--key", "email")).stderr).toContain(summary);
  });
});
