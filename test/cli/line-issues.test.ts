import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { finished, newHome, start, useHome } from "./support.ts";

const home = useHome();

/** Wrong words of a command, and the message about them. Alone, some are refused only by the service. */
type Wrong = readonly [words: string, sentence: string, by?: "service"];

/** The valid words of a command, and the wrong ones. */
const lines: readonly (readonly [right: string, wrong: readonly Wrong[]])[] = [
  [
    "users create --first-name Eve --last-name Ng --email eve@example.com --unit Acme",
    [
      ["--birthday x", "--birthday must be a date", "service"],
      ["--settings-show-birthdays never", "--settings-show-birthdays must be one of"],
      ["--timezone Nowhere", "--timezone must be", "service"],
      ["--tz Moon", "--tz: unknown time zone 'Moon'"],
      ["-o xml", "--output must be one of table, json, ndjson, csv, yaml, not 'xml'"],
    ],
  ],
  [
    "units update 2",
    [
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
      ["--repeat often", "--repeat"],
    ],
  ],
  [
    "audit list",
    [
      ["--limit many", "--limit must be an integer, not 'many'"],
      ["--fields nonsense", "--fields: unknown field 'nonsense'"],
      ["--interval often", "--interval must be a duration"],
    ],
  ],
  [
    "webhooks logs 1",
    [
      ["--limit many", "--limit must be an integer, not 'many'"],
      ["--since someday", "--since must be a time"],
      ["--event user.dance", "--event must be one of"],
      ["--timeout never", "--timeout must be a duration"],
    ],
  ],
  [
    "posts create --title Hi --body Hello",
    [
      ["--content-type novel", "--content-type must be one of"],
      ["--publish-on someday", "--publish-on must be a time"],
    ],
  ],
];

describe.each(lines)("wcs %s", (right, wrong) => {
  it("names each of several issues with the line, and does nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...wrong], { minLength: 1 }), fc.context(), async (some, context) => {
        const { code, stdout, stderr } = await home().sit(
          [right, ...some.map(([words]) => words)].join(" ").split(" "),
        );
        context.log(stderr);
        const isRefused = some.every(([, , by]) => by === "service");
        expect({ code, stdout }).toEqual({ code: isRefused ? 3 : 2, stdout: "" });
        const lowered = stderr.replace(/^error: (.)/, (_, letter: string) => letter.toLowerCase());
        for (const [, sentence] of some) expect(lowered).toContain(sentence);
      }),
      { numRuns: 12 },
    );
  });
});

describe("one error", () => {
  it("names wrong values and missing flags at once", async () => {
    expect(await home().wcs("users create --birthday x --email a@example.com".split(" "))).toMatchObject({
      code: 2,
      stderr:
        "error: Missing --first-name, --last-name, --unit; --birthday must be a date that exists, as YYYY-MM-DD.\n",
    });
  });

  it.each([
    [
      "users create --frist-name secret --token=hidden",
      "Unknown option '--frist-name' (did you mean --first-name?); unknown option '--token'.",
    ],
    ["users create --token=hidden --birthday x", "Unknown option '--token'."],
    [
      "users create --token=hidden --token hidden --frist-name -secret --token=secret",
      "Unknown option '--token'; unknown option '--frist-name' (did you mean --first-name?).",
    ],
    ["users list -limit 3", "Unknown option '-limit'.\nhint: Did you mean --limit?"],
    ["users list -zzz", "Unknown option '-zzz'."],
    [
      "users list --nope --limit many --limit n --tz Moon -o xml",
      "--limit can be given only once; unknown option '--nope'; --output must be one of table, json, ndjson, csv, yaml, not 'xml'; --limit must be an integer, not 'n'; --tz: unknown time zone 'Moon' (list time zones with wcs timezones list).",
    ],
    [
      "users create --nope --settings-show-birthdays never --geo-lat",
      "Unknown option '--nope'; unknown option '--geo-lat'; --settings-show-birthdays must be one of",
    ],
    ["users update 1 secret --birthday x", "Too many arguments. Expected 1 argument but got 2"],
    [
      "auth login ann hidden --timeout never",
      "Too many arguments. Expected 0 arguments but got 2 (quote a text with spaces, and give other values by their flags, as in --name 'Sales' or --active=false); --timeout must be a duration",
    ],
    ["api --zzz --timeout never", "Unknown option '--zzz'; --timeout must be a duration"],
    ["users create --lanugage da --unit", "Option '--unit <unit>' argument missing."],
    ["api --zzz", "Unknown option '--zzz'."],
    ["api", "Missing <method>, <path>."],
  ])(
    "names the options that the command does not know, and no word that may be a secret: %s",
    async (line, message) => {
      const { code, stderr } = await home().wcs(line.split(" "));
      expect([code, stderr]).toEqual([2, expect.stringMatching(`^error: ${message.replace(/[?.()]/g, "\\$&")}`)]);
      expect(stderr).not.toMatch(/secret|hidden/);
    },
  );

  it("with JSON is one object", async () => {
    const { stderr } = await home().wcs("units list --limit n --fields x --json".split(" "));
    const { error } = JSON.parse(stderr);
    expect(error.code).toBe("usage");
    expect(error.message).toMatch(/--limit.*--fields: unknown field 'x'/);
  });
});

describe("without a target", () => {
  const own = newHome();
  it("wrong lines are reported before the target is looked up", async () => {
    const line = "users create --birthday x --title - --unit Sales --email a@example.com".split(" ");
    const { code, stderr } = await own.wcs(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: Missing --first-name, --last-name; --birthday must be a date/);
    expect(stderr).not.toContain("target");
  });

  it.each([
    ["users get - -o xml", "--output must be one of"],
    ["users create --title - -o xml", "--output must be one of"],
    [
      "users create --title - --first-name A --last-name B --email a@example.com --unit 1 --birthday x",
      "--birthday must",
    ],
    ["users create --title - --first-name A --last-name B", "Missing --email, --unit"],
    ["users create --title - --phone -", "Only one of --title and --phone can read stdin; missing --first-name"],
    ["users update 1 --title - --timezone Nowhere", "--timezone must"],
    ["users update 1 --data - --unset name", "--unset: 'name' cannot be cleared"],
    ["users update 1 --data - --title -", "Only one of --title and --data can read stdin"],
    ["users get - --reference x", "<id> and --reference cannot be used together"],
    ["audit list --since - --until -", "--since must be a time"],
    ["users get - 3", "<id>: - stands for the lines of stdin"],
    ["auth password request --email nobody --unset x", "--unset"],
    ["posts comments add 1 - --timeout never", "--timeout must be"],
  ])("wcs %s does not wait for stdin", async (line, message) => {
    // Its stdin stays open.
    const { code, stderr } = await finished(start(line.split(" "), own.env));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
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
  const { code, stderr } = await home().sit(["users", "create", "--tz", "Moon"], { answers: [] });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: --tz: unknown time zone/);
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
