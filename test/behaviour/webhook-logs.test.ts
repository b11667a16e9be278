import { beforeAll, describe, expect, it } from "vitest";
import type { ArgumentsOf, OutputOf } from "../../src/contract/operation.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { nextPageInput } from "../../src/http/client/next-page.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { postgresLocal, sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";

/** More than are counted at once, all in one second, and as many later. */
const inOneSecond = 25_000;
const later = 25_000;

for (const environment of [sqliteLocal, postgresLocal]) {
  describe(`the log of a webhook with many entries (${environment.database})`, () => {
    const world = useWorld(environment);
    let id = 0;
    let crowded = 0;

    const add = (
      entries: readonly {
        readonly created_at: number;
        readonly status: string;
        readonly webhook_id?: number;
        readonly user_id?: number;
      }[],
    ) =>
      world().instance.database.write((tx) =>
        insertRows(
          tx,
          "webhook_logs",
          entries.map((entry) => ({
            ...{ webhook_id: id, event_id: 1, message_id: "msg", event: "user.create", uri: "https://a.example" },
            ...{ attempt: 1, duration_ms: 1, request_headers: "{}", ...entry },
          })),
        ),
      );

    beforeAll(async () => {
      const { administrator } = world().actors;
      world().instance.freeze();
      crowded = world().instance.now() - 40_000;
      const { data } = await administrator.call(webhooks.create, { name: "many", uri: "https://a.example" });
      id = data.id;
      await add([
        { created_at: crowded - 300, status: "200" },
        ...Array.from({ length: inOneSecond }, (_, n) => ({ created_at: crowded, status: n % 5 ? "200" : "500" })),
        ...Array.from({ length: later }, (_, n) => ({ created_at: crowded + 1 + n, status: n % 10 ? "204" : "error" })),
        // Another process wrote an earlier attempt later.
        { created_at: crowded + later - 500, status: "404" },
      ]);
    });

    it("webhooks.stats counts each entry once, in its part of the period", async () => {
      const { administrator } = world().actors;
      const { data } = await administrator.call(webhooks.stats, { id, since: crowded, parts: 4 });
      const length = 10_000;
      expect(data).toEqual([
        // All of the crowded second, and the next 9,999 entries.
        { start: crowded, succeeded: 20_000 + 8999, failed: 5000 + 1000 },
        { start: crowded + length, succeeded: 9000, failed: 1000 },
        { start: crowded + 2 * length, succeeded: 4501, failed: 500 + 1 },
        { start: crowded + 3 * length, succeeded: 0, failed: 0 },
      ]);
    });

    it("webhooks.stats has parts of whole hours by default, the last up to now", async () => {
      const { administrator } = world().actors;
      const { data } = await administrator.call(webhooks.stats, { id });
      const now = world().instance.now();
      expect(data.map(({ start }) => start)).toEqual(Array.from({ length: 24 }, (_, n) => now - (24 - n) * 3600));
      const count = data.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
      expect(count).toBe(1 + inOneSecond + later + 1);
    });

    it.each([
      [39_999, 7],
      [3, 200],
      [-50, 2],
    ])("webhooks.stats counts what is since the start of each part: %i seconds, %i parts", async (length, parts) => {
      const { administrator } = world().actors;
      const now = world().instance.now();
      const since = now - length;
      const { data } = await administrator.call(webhooks.stats, { id, since, parts });
      expect(data).toHaveLength(parts);
      expect(Math.max(...data.map(({ start }) => start))).toBeLessThanOrEqual(Math.max(now, since));
      for (const [index, { start, succeeded, failed }] of data.entries()) {
        const end = data[index + 1]?.start ?? Number.MAX_SAFE_INTEGER;
        const { count } = await world()
          .instance.database.reader.selectFrom("webhook_logs")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("webhook_id", "=", id)
          .where("created_at", ">=", start)
          .where("created_at", "<", end)
          .executeTakeFirstOrThrow();
        expect(succeeded + failed, `part ${index}`).toBe(count);
      }
    });

    it("webhooks.logs can be read beyond the 10,000 entries that are counted after a page", async () => {
      const { administrator } = world().actors;
      const found: number[] = [];
      let input: ArgumentsOf<typeof webhooks.logs> | undefined = { id, limit: 500 };
      while (input !== undefined) {
        const page: OutputOf<typeof webhooks.logs> = await administrator.call(webhooks.logs, input);
        if (found.length === 0) expect(page.meta).toMatchObject({ total: 10_500, last_page: 21 });
        found.push(...page.data.map((entry) => entry.id));
        input = nextPageInput(webhooks.logs.list?.paging, input, page) as typeof input;
      }
      expect(found).toEqual([...new Set(found)].sort((a, b) => b - a));
      expect(found).toHaveLength(inOneSecond + later + 2);
      const { data, meta } = await administrator.call(webhooks.logs, { id, limit: 500, page: 41 });
      expect(data.map((entry) => entry.id)).toEqual(found.slice(20_000, 20_500));
      expect(meta.total).toBe(30_500);
    });

    it("webhooks.logs since a time lists the entries from then on, newest first", async () => {
      const { administrator } = world().actors;
      const since = crowded + later - 400;
      const { data, meta } = await administrator.call(webhooks.logs, { id, since, limit: 3 });
      expect(data.map((entry) => entry.created_at)).toEqual([
        crowded + later,
        crowded + later - 1,
        crowded + later - 2,
      ]);
      expect(meta.total).toBe(401);
      const all = await administrator.call(webhooks.logs, { id, since: since - 200, status: "404" });
      expect(all.data).toHaveLength(1);
      const failed = await administrator.call(webhooks.logs, { id, since: crowded, status: "500" });
      expect(failed.meta.total).toBe(inOneSecond / 5);
      const none = await administrator.call(webhooks.logs, { id, since: crowded + later + 1 });
      expect(none).toMatchObject({ data: [], meta: { total: 0 } });
    });

    it("webhooks.logs of a user lists the attempts for events of this user in this webhook", async () => {
      const { administrator } = world().actors;
      const added = async (name: string) =>
        (await administrator.call(webhooks.create, { name, uri: "https://b.example" })).data.id;
      const webhook_id = await added("one");
      const other = await added("another");
      const { member: own, colleague: others } = world().ids;
      const entry = { webhook_id, created_at: crowded + later + 1, status: "200" };
      await add([
        { ...entry, user_id: own },
        { ...entry, user_id: own, status: "500" },
        { ...entry, user_id: others },
        { ...entry, user_id: own, webhook_id: other },
      ]);
      const statuses = async (input: ArgumentsOf<typeof webhooks.logs>) =>
        (await administrator.call(webhooks.logs, input)).data.map(({ status }) => status);
      expect(await statuses({ id: webhook_id, user: own })).toEqual(["500", "200"]);
      expect(
        await statuses({ id: webhook_id, user: own, status: "2xx", since: crowded, event: "user.create" }),
      ).toEqual(["200"]);
      expect(await statuses({ id: webhook_id, user: others })).toEqual(["200"]);
      expect(await statuses({ id: other, user: others })).toEqual([]);
    });

    it("webhooks.logs with a class of statuses lists the entries of each of them, newest first", async () => {
      const { administrator } = world().actors;
      const list = (status: string, more: object = {}) =>
        administrator.call(webhooks.logs, { id, status, limit: 500, ...more });
      const entriesOf = async (...statuses: readonly string[]) => {
        const rows = world().instance.database.reader.selectFrom("webhook_logs").select("id");
        const found = await rows.where("webhook_id", "=", id).where("status", "in", statuses).execute();
        return found.map((row) => row.id).sort((a, b) => b - a);
      };
      const good = await entriesOf("200", "204");
      const failed = await entriesOf("404");
      expect(good).toHaveLength(1 + 20_000 + 22_500);
      const { data, meta } = await list("2xx", { page: 46 });
      expect(data.map((entry) => entry.id)).toEqual(good.slice(22_500, 23_000));
      expect(new Set(data.map(({ status }) => status))).toEqual(new Set(["200"]));
      expect(meta.total).toBe(33_000);
      const border = await list("2xx", { page: 45, limit: 500 });
      expect(border.data.map((entry) => entry.id)).toEqual(good.slice(22_000, 22_500));
      expect((await list("4xx")).data.map((entry) => entry.id)).toEqual(failed);
      expect((await list("2xx", { after: good[3], since: crowded })).data.map((entry) => entry.id)).toEqual(
        good.slice(0, 3),
      );
      expect(await list("3xx")).toMatchObject({ data: [], meta: { total: 0 } });
      await expect(list("6xx")).rejects.toMatchObject({ code: "validation_failed" });
    });

    it("webhooks.logs of failed attempts lists all but 2xx, newest first, with any number of statuses", async () => {
      const { administrator } = world().actors;
      const { data } = await administrator.call(webhooks.create, { name: "failing", uri: "https://b.example" });
      const entry = (status: string) => ({ webhook_id: data.id, created_at: crowded, status });
      const listed = async () => {
        const page = await administrator.call(webhooks.logs, { id: data.id, status: "failed", limit: 500 });
        return page.data.map(({ status }) => status);
      };
      expect(await listed()).toEqual([]);
      await add(["timeout", "200", "410", "299", "100", "timeout"].map(entry));
      expect(await listed()).toEqual(["timeout", "100", "410", "timeout"]);
      const numbers = Array.from({ length: 498 }, (_, n) => String(n + 500));
      await add(numbers.slice(0, 397).map(entry));
      expect((await listed()).slice(0, 397)).toEqual(numbers.slice(0, 397).reverse());
      await add([...numbers.slice(397), "204"].map(entry));
      expect((await listed()).slice(0, 498)).toEqual(numbers.toReversed());
    });

    it("webhooks.logs since a time lists an entry from then that was written before one of an hour earlier", async () => {
      const { administrator } = world().actors;
      // Different processes kept both while the database was unreachable.
      await add([
        { created_at: crowded + 100_000, status: "410" },
        { created_at: crowded + 96_400, status: "200" },
      ]);
      const { data } = await administrator.call(webhooks.logs, { id, since: crowded + 99_900 });
      expect(data.map((entry) => entry.status)).toEqual(["410"]);
    });

    if (environment.database === "sqlite")
      it("webhooks.stats lets other requests run before it has counted all", async () => {
        const counting = world().actors.administrator.call(webhooks.stats, { id, since: crowded });
        expect(await turnsDuring(counting)).toBeGreaterThan(2);
      });
  });
}
