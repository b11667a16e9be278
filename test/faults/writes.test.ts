import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { beforeEach, expect, it } from "vitest";
import type { Caller } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { createClient } from "../../src/http/client/client.ts";
import { bin, finished, type Home, newHome, start } from "../cli/support.ts";
import { describeOnDatabases } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { mistakes } from "../support/tables.ts";
import { kills, timeFor } from "./counts.ts";
import { killedSessionsEnd, targetToKill } from "./killed-sessions.ts";

/** Number of clients that write at the same time. */
const writers = 4;

/** The acknowledged writes, and those that may have been done besides. */
class Ledger {
  readonly created = new Set<string>();
  /** By e-mail address: the last number that was acknowledged, and the last that was sent. */
  readonly numbers = new Map<string, { acknowledged: number; sent: number }>();
  /** Imports of three by their tags. */
  readonly imported = new Set<string>();
  #number = 0;

  next(): number {
    this.#number += 1;
    return this.#number;
  }
}

const address = (n: number) => `no${n}@example.com`;
const person = (n: number) => ({ first_name: "Bo", last_name: `No ${n}`, email: address(n), unit: 1 });
const row = (n: number, which: string) => ({
  ...person(n),
  email: `${which}${n}@example.com`,
  unit: "root",
  reference: `${which}${n}`,
  meta_field_1: `t${n}`,
});

/** Creates, changes and imports users until the service is gone. */
async function write(caller: Caller, ledger: Ledger): Promise<void> {
  try {
    for (;;) {
      const n = ledger.next();
      const { id } = await caller.call(users.create, person(n));
      ledger.created.add(address(n));
      const numbers = { acknowledged: 0, sent: 0 };
      ledger.numbers.set(address(n), numbers);
      for (let change = 1; change <= 3; change++) {
        numbers.sent = change;
        await caller.call(users.update, { id, meta_field_0: String(change) });
        numbers.acknowledged = change;
      }
      await caller.call(users.import, { rows: [row(n, "a"), row(n, "b"), row(n, "c")] });
      ledger.imported.add(`t${n}`);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== "unavailable") throw error;
  }
}

describeOnDatabases("R1: kill -9 while it writes", (open, kind) => {
  let instance: Instance;
  let home: Home;
  let env: Record<string, string>;
  let ledger: Ledger;
  beforeEach(async () => {
    instance = await open();
    home = newHome();
    env = { ...home.env, WCS_DB: targetToKill(instance) };
    ledger = new Ledger();
  });

  /** Nothing that was acknowledged is missing, nothing is half there, and the file is whole. */
  async function check(): Promise<void> {
    await killedSessionsEnd(instance);
    const { reader } = instance.database;
    const rows = await reader.selectFrom("users").select(["email", "meta_field_0", "meta_field_1"]).execute();
    const present = new Map(rows.map((each) => [each.email, each]));
    const lost = [...ledger.created].filter((email) => !present.has(email));
    expect(lost).toEqual([]);
    const wrong = [...ledger.numbers].filter(([email, { acknowledged, sent }]) => {
      const number = Number(present.get(email)?.meta_field_0);
      return number < acknowledged || number > sent;
    });
    expect(wrong).toEqual([]);
    const tags = Map.groupBy(
      rows.filter((each) => each.meta_field_1 !== ""),
      (each) => each.meta_field_1,
    );
    expect([...tags].filter(([, { length }]) => length !== 3)).toEqual([]);
    expect([...ledger.imported].filter((tag) => !tags.has(tag))).toEqual([]);
    expect(await mistakes(instance.database)).toEqual([]);
    if (kind === "postgres") return;
    const said = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(reader);
    expect(said.rows.map((each) => each.integrity_check)).toEqual(["ok"]);
    expect((await sql`pragma foreign_key_check`.execute(reader)).rows).toEqual([]);
  }

  it("the server", { timeout: timeFor(kills) }, async () => {
    const token = await instance.tokenOf(1);
    for (let kill = 0; kill < kills; kill++) {
      const serving = [bin, "serve", "--port", "0", "--log-level", "silent"];
      const server = spawn(process.execPath, serving, { env, stdio: ["ignore", "pipe", "inherit"] });
      const [line] = (await once(server.stdout, "data")) as [Buffer];
      const clients = Array.from({ length: writers }, () =>
        createClient({ url: String(line).trim(), token, userAgent: "test" }),
      );
      let over = false;
      const before = ledger.created.size;
      const writing = Promise.all(clients.map((client) => write(client, ledger))).finally(() => {
        over = true;
      });
      while (!over && ledger.created.size === before) await sleep(5);
      // Kills it at a different point of its work each time.
      await sleep(Math.random() * 100);
      server.kill("SIGKILL");
      await Promise.all([writing, once(server, "close")]);
      for (const client of clients) await client.close();
    }
    expect(ledger.created.size).toBeGreaterThanOrEqual(kills);
    await check();
  });

  it("commands on the database", { timeout: timeFor(kills) }, async () => {
    const file = home.path("people.csv");
    const create = (n: number) => {
      const { first_name, last_name, email } = person(n);
      const names = ["--first-name", first_name, "--last-name", last_name];
      return ["users", "create", ...names, "--email", email, "--unit", "1", "--json"];
    };
    const importing = (n: number) => {
      const rows = ["a", "b", "c"].map((which) => Object.values(row(n, which)).join(","));
      writeFileSync(file, [Object.keys(row(n, "a")).join(","), ...rows, ""].join("\n"));
      return ["users", "import", file];
    };
    const run = (args: readonly string[]) => start(args, env);
    const timed = async (child: ChildProcess) => {
      const began = performance.now();
      const end = await finished(child);
      return { ...end, took: performance.now() - began };
    };
    const first = await timed(run(importing(ledger.next())));
    expect(first).toMatchObject({ code: 0 });
    // A shorter run than the first one brings the kills forward, so that they keep hitting processes at work.
    let shortest = first.took;
    let killed = 0;
    while (killed < kills) {
      const n = ledger.next();
      const isImport = killed % 2 === 1;
      const child = run(isImport ? importing(n) : create(n));
      const ending = timed(child);
      await sleep(shortest * (0.3 + 0.7 * Math.random()));
      child.kill("SIGKILL");
      const { code, stdout, took } = await ending;
      if (code === null) killed += 1;
      else shortest = Math.min(shortest, took);
      if (!isImport && stdout.includes("\n}")) ledger.created.add(address(n));
      if (isImport && code === 0) ledger.imported.add(`t${n}`);
    }
    await check();
  });
});
