import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { newHome, useHome } from "./support.ts";

const home = useHome();

/** Wrong words of a command, and the message about them. Alone, some are refused only by the service. */
type Wrong = readonly [words: string, sentence: string, by?: "service"];

/** The valid words of a command, and the wrong ones. */
const lines: readonly (readonly [right: string, wrong: readonly Wrong[]])[] = [
  [
    "users create --first-name Eve --last-name Ng --email eve@example.com --unit Acme",
    [
      ["--lanugage da", "unknown option '--lanugage' (did you mean --language?)"],
      ["--zzz", "unknown option '--zzz'"],
      ["--birthday x", "--birthday must be a date", "service"],
      ["--settings-show-birthdays never", "--settings-show-birthdays must be one of"],
      ["--user-types ,nobody,1 --phon 1", "unknown option '--phon' (did you mean --phone?)"],
      ["--timezone Nowhere", "--timezone must be", "service"],
      ["--tz Moon", "--tz: unknown time zone 'Moon'"],
      ["-o xml", "--output must be one of table, json, ndjson, csv, yaml, not 'xml'"],
    ],
  ],
  [
    "units update 2",
    [
      ["--naem Shops", "unknown option '--naem' (did you mean --name?)"],
      ["--geo-lat north", "--geo-lat must be a number, not 'north'"],
      ["--opening-hours-closed {", "--opening-hours-closed must be JSON"],
      ["--description @/no/such", "--description: no such file: /no/such"],
      ["--unset name", "--unset: 'name' cannot be cleared"],
      ['--data {"emial":1}', "emial is not a field of this operation", "service"],
      ["--timeout never", "--timeout must be a duration"],
    ],
  ],
  [
    "events create --title Party --type user --end tomorrow",
    [
      ["--start whenever", "--start must be a time"],
      ["--visibility none", "unknown option '--visibility'"],
      ["--repeat often", "--repeat"],
      ["--reminder soon", "unknown option '--reminder'"],
    ],
  ],
  [
    "audit list",
    [
      ["--limit many", "--limit must be an integer, not 'many'"],
      ["--fields nonsense", "--fields: unknown field 'nonsense'"],
      ["--untli now", "unknown option '--untli' (did you mean --until?)"],
      ["--interval often", "--interval must be a duration"],
    ],
  ],
  [
    "webhooks logs 1",
    [
      ["--limit many", "--limit must be an integer, not 'many'"],
      ["--since someday", "--since must be a time"],
      ["--event user.dance", "--event must be one of"],
      ["--pgae 2", "unknown option '--pgae' (did you mean --page?)"],
      ["--timeout never", "--timeout must be a duration"],
    ],
  ],
  [
    "posts create --title Hi --body Hello",
    [
      ["--content-type novel", "--content-type must be one of"],
      ["--publish-from someday", "--publish-from"],
      ["--boddy Hello", "unknown option '--boddy' (did you mean --body?)"],
      ["--visibility-units", "argument missing"],
    ],
  ],
];

describe.each(lines)("wcs %s", (right, wrong) => {
  it("names each of several issues with the line, and does nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...wrong], { minLength: 1 }), fc.context(), async (some, context) => {
        // A flag without its value can only be the last word.
        const last = some.toSorted((a, b) => Number(a[1] === "argument missing") - Number(b[1] === "argument missing"));
        const { code, stdout, stderr } = await home().sit(
          [right, ...last.map(([words]) => words)].join(" ").split(" "),
        );
        context.log(stderr);
        const isRefused = some.every(([, , by]) => by === "service");
        expect({ code, stdout }).toEqual({ code: isRefused ? 3 : 2, stdout: "" });
        const lowered = stderr.replace(/^error: (.)/, (_, letter: string) => letter.toLowerCase());
        for (const [, sentence] of some) {
          const [message = "", hint] = sentence.split(" (");
          expect(lowered).toContain(message);
          if (hint) expect(lowered.toLowerCase()).toContain(hint.replace(")", "").toLowerCase());
        }
      }),
      { numRuns: 12 },
    );
  });
});

describe("one error", () => {
  it("names unknown flags, wrong values and missing flags at once, with suggestions", async () => {
    expect(await home().wcs("users create --lanugage da --birthday x --unit".split(" "))).toMatchObject({
      code: 2,
      stderr:
        "error: Option '--unit <unit>' argument missing; unknown option '--lanugage' (did you mean --language?); " +
        "missing --first-name, --last-name, --email; --birthday must be a date that exists, as YYYY-MM-DD.\n" +
        "usage: wcs users create [options]\n",
    });
  });

  it("does not report a mistyped flag as missing, and does not repeat values of unknown flags", async () => {
    const { stderr } = await home().wcs("users create --frist-name secret --token=hidden --tokne hidden".split(" "));
    expect(stderr).toContain("(did you mean --first-name?)");
    expect(stderr).toContain("missing --last-name, --email, --unit");
    expect(stderr).not.toMatch(/secret|hidden|Too many/);
  });

  it("names all missing arguments of a command", async () => {
    const { code, stderr } = await home().wcs(["api", "--zzz"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Unknown option '--zzz'; missing <method>, <path>");
  });

  it("with JSON is one object", async () => {
    const { stderr } = await home().wcs("units list --limt 3 --fields x --json".split(" "));
    const { error } = JSON.parse(stderr);
    expect(error.code).toBe("usage");
    expect(error.message).toMatch(/--limt.*--fields: unknown field 'x'/);
  });
});

describe("without a target", () => {
  const own = newHome();
  it("wrong lines are reported before the target is looked up, and stdin is not waited for", async () => {
    const line = "users create --lanugage da --title - --unit Sales --email a@example.com".split(" ");
    const { code, stderr } = await own.wcs(line);
    expect(code).toBe(2);
    expect(stderr).toContain("missing --first-name, --last-name");
    expect(stderr).not.toContain("target");
  });
});

it.each([
  ["users list --unit Acme --unit Sales", "--unit can be given only once."],
  [
    "users list --unit=Acme --limit 3 --unit Sales --limit 4",
    "--unit can be given only once; --limit can be given only once.",
  ],
  ["users list -o json -o csv", "--output can be given only once."],
  ["users update 1 --admin --no-admin", "--admin and --no-admin cannot be used together."],
  ["webhooks logs 1 --since -1h --since -2h", "--since can be given only once."],
])("wcs %s is refused, because only the last value would count", async (line, message) => {
  const { code, stderr } = await home().wcs(line.split(" "));
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

it("options that collect values, and flags without a value, can be repeated", async () => {
  for (const line of ["users list --unit Acme --json --json", "users list --unit 1 --no-header --no-header"])
    expect(await home().wcs(line.split(" "))).toMatchObject({ code: 0 });
  const line = "events create --type user --title x --start tomorrow --end +1h --shares 1 --shares 1 -n".split(" ");
  expect((await home().wcs(line)).stderr).not.toContain("only once");
});

it("on a terminal wrong flags are reported before a prompt", async () => {
  const { code, stderr } = await home().sit(["users", "create", "--lanugage", "da", "--birthday", "x"], {
    answers: [],
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: Unknown option '--lanugage'.*--birthday must be a date/);
  expect(stderr).not.toContain("missing");
});

beforeAll(async () => {
  await home().wcs(["webhooks", "create", "--name", "w", "--uri", "http://127.0.0.1:9/none"]);
});

it("the issues that the parser finds are joined without a full stop between them", async () => {
  const { code, stderr } = await home().wcs(["units", "list", "-o", "xml", "--limit", "many"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/ must be one of [\w, ]+, not 'xml'; --limit must be an integer, not 'many'\.\n/);
});
