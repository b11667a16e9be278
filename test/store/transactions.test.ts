import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Tx } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { get, kinds, put, useDatabase } from "./support.ts";

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

for (const kind of kinds) {
  describe(`transactions (${kind})`, () => {
    const open = useDatabase(kind);
    const keys = async (like: string) => {
      const rows = open().database.reader.selectFrom("settings").select("key").where("key", "like", `${like}%`);
      return (await rows.execute()).map((row) => row.key).sort();
    };

    /** Lets conflicts be repeated until they succeed: PostgreSQL is given some seconds on this clock. */
    const repeatConflicts = () => {
      if (kind === "sqlite") return;
      const stopped = vi.spyOn(performance, "now").mockReturnValue(performance.now());
      onTestFinished(() => void stopped.mockRestore());
    };

    it("100 transactions at once leave nothing if they fail, and everything if they succeed", async () => {
      const { database } = open();
      repeatConflicts();
      const results = await Promise.allSettled(
        times(100, (n) =>
          database.write(async (tx) => {
            await put(tx, `half ${n} a`, n);
            // Lets the transactions overlap, in a different way each time.
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
            await put(tx, `half ${n} b`, n);
            if (n % 2 === 0) throw new Error(`fails ${n}`);
          }),
        ),
      );
      const failed = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
      expect(failed).toEqual(times(50, (n) => `Error: fails ${n * 2}`));
      expect(await keys("half")).toEqual(
        times(50, (n) => n * 2 + 1)
          .flatMap((n) => [`half ${n} a`, `half ${n} b`])
          .sort(),
      );
    });

    it("transactions are serializable: 50 that add 1 to a number add 50", async () => {
      const { database } = open();
      repeatConflicts();
      await database.write((tx) => put(tx, "number", 0));
      await Promise.all(
        times(50, () =>
          database.write(async (tx) => {
            const before = await get({ reader: tx }, "number");
            await put(tx, "number", Number(before) + 1);
          }),
        ),
      );
      expect(await get(database, "number")).toBe("50");
    });

    it("a long transaction is committed although short ones change what it reads all the time", async () => {
      const { database } = open();
      await database.write((tx) => put(tx, "long", 0));
      let isDone = false;
      const short = async (n: number) => {
        for (let count = 0; !isDone; count += 1) {
          await database.write(async (tx) => put(tx, `short ${n}`, `${count} ${await get({ reader: tx }, "long")}`));
        }
      };
      const others = times(4, short);
      await database.write(async (tx) => {
        await tx.selectFrom("settings").selectAll().execute();
        // Long enough for the short ones to commit. When it runs alone, none does, so their commits cannot be awaited.
        await new Promise((resolve) => setTimeout(resolve, 100));
        await put(tx, "long", 1);
      });
      isDone = true;
      await Promise.all(others);
      expect(await get(database, "long")).toBe("1");
    });

    it("transactions wait for each other although the system's clock is set forward meanwhile", async () => {
      const { database } = open();
      repeatConflicts();
      let ahead = 0;
      vi.spyOn(Date, "now").mockImplementation(() => {
        ahead += 3_600_000;
        return ahead;
      });
      onTestFinished(() => void vi.mocked(Date.now).mockRestore());
      await database.write((tx) => put(tx, "waiting", 0));
      await Promise.all(
        times(20, () =>
          database.write(async (tx) => put(tx, "waiting", Number(await get({ reader: tx }, "waiting")) + 1)),
        ),
      );
      expect(await get(database, "waiting")).toBe("20");
    });

    it("a transaction sees what it wrote; the reader does not, and does not wait", async () => {
      const { database } = open();
      await database.write((tx) => put(tx, "seen", "before"));
      await database.write(async (tx) => {
        await put(tx, "seen", "after");
        expect(await get({ reader: tx }, "seen")).toBe("after");
        // If it had to wait for the transaction, neither would ever end.
        expect(await get(database, "seen")).toBe("before");
      });
      expect(await get(database, "seen")).toBe("after");
    });

    it("a reader never sees half of a transaction", async () => {
      const { database } = open();
      const turn = () => new Promise((resolve) => setImmediate(resolve));
      const both = async (tx: Tx, n: number) => {
        await put(tx, "pair a", n);
        await turn();
        await put(tx, "pair b", n);
      };
      await database.write((tx) => both(tx, 0));
      let writing = true;
      const seen = new Set<string>();
      const watch = async () => {
        while (writing) {
          const rows = await database.reader.selectFrom("settings").selectAll().where("key", "like", "pair%").execute();
          seen.add(rows.map((row) => row.value).join(" "));
          await turn();
        }
      };
      const readers = times(3, watch);
      for (let n = 1; n <= 50; n++) await database.write((tx) => both(tx, n));
      writing = false;
      await Promise.all(readers);
      expect([...seen].filter((pair) => pair.split(" ")[0] !== pair.split(" ")[1])).toEqual([]);
      expect(seen.size).toBeGreaterThan(1);
    });

    it("the reader refuses to write, where it is a connection of its own", async () => {
      const { database } = open();
      const writing = database.reader.insertInto("settings").values({ key: "by the reader", value: "1" }).execute();
      if (kind === "sqlite") await expect(writing).rejects.toThrow(/readonly/);
      else await writing;
    });

    it("a handle of a transaction that has ended is refused", async () => {
      const { database } = open();
      let leaked: Tx | undefined;
      await database.write(async (tx) => {
        leaked = tx;
      });
      await expect(put(leaked!, "leaked", 1)).rejects.toThrow(/already committed/);
      await database
        .write(async (tx) => {
          leaked = tx;
          throw new Error("taken back");
        })
        .catch(() => {});
      await expect(put(leaked!, "leaked", 1)).rejects.toThrow(/already rolled back/);
      expect(await get(database, "leaked")).toBeUndefined();
    });

    // Only SQLite commits transactions together.
    if (kind === "sqlite")
      it("transactions that are committed together fail together, and leave nothing", async () => {
        const { database } = open();
        // A group accepts members for some milliseconds: on this clock, until no one waits.
        vi.spyOn(performance, "now").mockReturnValue(performance.now());
        onTestFinished(() => void vi.mocked(performance.now).mockRestore());
        const orphan = async (tx: Tx) => {
          await sql`pragma defer_foreign_keys = on`.execute(tx);
          await tx.insertInto("departments").values({ unit_id: 987654, name: "x" }).execute();
        };
        const writes = [database.write((tx) => put(tx, "beside 1", 1)), database.write(orphan)];
        writes.push(database.write((tx) => put(tx, "beside 2", 2)));
        const results = await Promise.allSettled(writes);
        expect(results.map((result) => result.status)).toEqual(["rejected", "rejected", "rejected"]);
        expect(await keys("beside")).toEqual([]);
        await database.write((tx) => put(tx, "beside 3", 3));
        expect(await keys("beside")).toEqual(["beside 3"]);
      });

    it("a transaction can be read as soon as it is acknowledged", async () => {
      const { database } = open();
      const done = times(20, async (n) => {
        await database.write((tx) => put(tx, `done ${n}`, n));
        return get(database, `done ${n}`);
      });
      expect(await Promise.all(done)).toEqual(times(20, String));
    });

    it("after a failing statement the next transaction works", async () => {
      const { database } = open();
      await expect(database.write((tx) => tx.deleteFrom("nowhere" as never).execute())).rejects.toThrow("nowhere");
      const broken = database.write(async (tx) => {
        await put(tx, "broken", 1);
        await tx.insertInto("departments").values({ unit_id: 987654, name: "x" }).execute();
      });
      await expect(broken).rejects.toThrow(/foreign key/i);
      expect(await get(database, "broken")).toBeUndefined();
      await database.write((tx) => put(tx, "broken", 2));
      expect(await get(database, "broken")).toBe("2");
    });

    it("factVersions, where there are any, returns another version after each change of a setting, and only then", async () => {
      const { database } = open();
      const version = () => database.factVersions()?.settings;
      const first = version();
      expect(first === undefined).toBe(kind === "postgres");
      if (first === undefined) return;
      await get(database, "x");
      expect(version()).toBe(first);
      await database.write((tx) => put(tx, "x", 0)).catch(() => {});
      const second = version();
      expect(second).not.toBe(first);
      // Looked up in the turn of the commit, as a request does that arrives then.
      await database.write(async (tx) => {
        await put(tx, "y", 0);
        expect(version()).toBe(second);
      });
      const third = version();
      expect(third).not.toBe(second);
      await database
        .write(async (tx) => {
          await put(tx, "x", 1);
          throw new Error("taken back");
        })
        .catch(() => {});
      expect(version()).toBe(third);
    });

    // Only on PostgreSQL do transactions conflict.
    if (kind === "postgres")
      it("transactions of two processes that conflicted several times run one after the other, the second on what the first wrote", async () => {
        const first = open().database;
        const second = await openDatabase(open().target);
        onTestFinished(() => second.close());
        await first.write((tx) => put(tx, "queued", 0));
        const conflicting = (work: (tx: Tx) => Promise<void>) => {
          let left = 3;
          return async (tx: Tx) => {
            if (left-- > 0) throw Object.assign(new Error("conflict"), { code: "40001" });
            await work(tx);
          };
        };
        const add = async (tx: Tx) => put(tx, "queued", Number(await get({ reader: tx }, "queued")) + 1);
        let other: Promise<void> | undefined;
        const attempts = vi.fn(add);
        await first.write(
          conflicting(async (tx) => {
            other = second.write(conflicting(attempts));
            const waiting = sql`select 1 from pg_locks where relation = 'kysely_migration_lock'::regclass and not granted`;
            await expect.poll(async () => (await waiting.execute(first.reader)).rows.length).toBe(1);
            await add(tx);
          }),
        );
        await other;
        expect(attempts).toHaveBeenCalledOnce();
        expect(await get(first, "queued")).toBe("2");
      });
  });
}
