import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();
const prune = (...more: string[]) => home().wcs(["db", "prune", "--json", ...more]);

it("db prune deletes expired rows, and --dry-run counts them by kind", async () => {
  const database = new DatabaseSync(home().path("data/wcs/wcs.db"));
  database.exec("update audit_entries set created_at = 0");
  const entries = () => database.prepare("select count(*) as number from audit_entries").get()?.number;
  const before = Number(entries());
  expect(before).toBeGreaterThan(0);
  const expected = { kind: "audit entries", rows: before, days: 365, setting: "audit.days" };
  const dry = await prune("--dry-run");
  expect(JSON.parse(dry.stdout)).toContainEqual(expected);
  expect([dry.code, dry.stderr]).toEqual([0, `Dry run: ${before} row${before === 1 ? "" : "s"} would be deleted.\n`]);
  expect(entries()).toBe(before);
  const done = await prune();
  expect(JSON.parse(done.stdout)).toContainEqual(expected);
  expect(entries()).toBe(0);
  const again = await prune();
  expect([again.code, again.stderr]).toEqual([0, "Deleted 0 rows.\n"]);
  expect(JSON.parse(again.stdout)).toContainEqual({ ...expected, rows: 0 });
  database.close();
});

it("db prune keeps entries for as many days as the settings say", async () => {
  const { stdout } = await home().wcs(["db", "prune", "--json", "--query", "[?setting].[setting, days]"], {
    env: { WCS_SETTING_MAIL_DAYS: "7" },
  });
  expect(Object.fromEntries(JSON.parse(stdout))).toEqual({
    "webhooks.log_days": 30,
    "mail.days": 7,
    "audit.days": 365,
    "tokens.expired_days": 30,
  });
});

it("db prune --dry-run counts all expired rows when there are more than are deleted at once, and no others", async () => {
  const database = new DatabaseSync(home().path("data/wcs/wcs.db"));
  const now = Math.floor(Date.now() / 1000);
  const insert = database.prepare(
    "insert into sessions (user_id, key, created_at, last_used_at, expires_at) values (1, ?, 0, 0, ?)",
  );
  database.exec("begin");
  for (let number = 1; number <= 5200; number++) insert.run(`key ${number}`, number <= 5100 ? now - 9 : now + 9999);
  database.exec("commit");
  const rowsIn = ({ stdout }: { readonly stdout: string }) =>
    (JSON.parse(stdout) as { kind: string; rows: number }[]).find(({ kind }) => kind === "expired sessions")?.rows;
  expect(rowsIn(await prune("--dry-run"))).toBe(5100);
  expect(rowsIn(await prune())).toBe(5100);
  expect(database.prepare("select count(*) as number from sessions").get()).toEqual({ number: 100 });
  database.close();
});
