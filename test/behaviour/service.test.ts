import { describe, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { useWorld } from "../support/actors.ts";
import { refusal } from "../support/outcome.ts";

for (const database of ["sqlite", "postgres"] as const) {
  describe(`the service, embedded (${database})`, () => {
    const world = useWorld({ database, caller: "local" });
    const resolve = (who?: string) => world().instance.service.resolveUser(who);

    it("resolveUser finds a user by e-mail address, in any case, or by ID", async () => {
      const { ids } = world();
      expect(await resolve("Member@EXAMPLE.com")).toBe(ids.member);
      expect(await resolve(String(ids.member))).toBe(ids.member);
    });

    it("resolveUser returns the first active administrator by default", async () => {
      const { actors, ids } = world();
      expect(await resolve()).toBe(ids.administrator);
      const boss = await world().instance.as(ids.boss);
      await boss.call(users.deactivate, { id: ids.administrator });
      expect(await resolve()).toBe(ids.boss);
      await boss.call(users.reactivate, { id: ids.administrator });
      actors.administrator = await world().instance.as(ids.administrator);
    });

    it("resolveUser refuses unknown, deleted and deactivated users", async () => {
      const { actors, addUser, ids } = world();
      const { id, email } = await addUser();
      await actors.administrator.call(users.delete, { id });
      for (const who of ["nobody@example.com", "987654", "99999999999999999999", String(id), email!]) {
        expect(await refusal(resolve(who)), who).toMatchObject({
          code: "not_found",
          message: `There is no user ${who}.`,
        });
      }
      for (const who of ["deactivated@example.com", String(ids.deactivated)]) {
        const message = `User ${who} is deactivated.`;
        expect(await refusal(resolve(who))).toMatchObject({ code: "unauthenticated", message });
      }
    });

    it("an embedded caller acts as the given user while that user is active", async () => {
      const { instance, ids } = world();
      const as = (userId: number) => instance.service.caller({ userId }).call(users.current, {});
      expect((await as(ids.member)).id).toBe(ids.member);
      for (const id of [ids.deactivated, 987654, 0]) expect((await refusal(as(id))).code).toBe("unauthenticated");
    });

    it("webhooks.events: a request of a client that is gone already does not wait", async () => {
      const { administrator } = world().actors;
      const after = (await administrator.call(webhooks.events, {})).meta.last_id;
      const [gone, present] = [AbortSignal.abort(), new AbortController()];
      const wait = async (name: string, seconds: number, signal: AbortSignal) => {
        await administrator.call(webhooks.events, { after, wait: seconds }, { signal });
        return name;
      };
      const requests = [wait("gone", 60, gone), wait("present", 20, present.signal)];
      expect(await Promise.race(requests)).toBe("gone");
      present.abort();
      await Promise.all(requests);
    });
  });
}
