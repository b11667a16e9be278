import { expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { fieldsOf, pathFields } from "../../src/contract/field-spec.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";

/** The lists with fields that filter them by the ID of a thing. */
const filtered = (await allOperations()).flatMap((op) => {
  const inPath = pathFields(op).map(({ name }) => name);
  const filters = fieldsOf(op).filter(
    ({ name, refersTo, items }) => !inPath.includes(name) && (refersTo ?? items?.refersTo),
  );
  return op.method === "GET" && op.list && filters.length > 0 ? [{ op, filters }] : [];
});

describeOnOneDatabase("filters by things that do not exist", (environment) => {
  const world = useWorld(environment);

  for (const { op, filters } of filtered) {
    const names = filters.map(({ name }) => name);
    const things = Object.fromEntries(filters.map(({ name, items }) => [name, items ? [987654] : 987654]));

    it(`${op.name} refuses all of ${names.join(", ")}`, async () => {
      const { administrator } = world().actors;
      const { data: webhook } = await administrator.call(webhooks.create, { name: op.name, uri: "https://a.example" });
      const unknown = { ...things, ...(op.path.includes("{id}") && { id: webhook.id }) };
      expect(await wrongFields(administrator.call(op, unknown))).toEqual(names.toSorted());
      const wrong = { ...unknown, limit: 0 };
      expect(await wrongFields(administrator.call(op, wrong))).toEqual([...names, "limit"].toSorted());
      if (op.list?.paging !== "cursor") return;
      const forged = { ...unknown, cursor: "x" };
      expect(await wrongFields(administrator.call(op, forged))).toEqual([...names, "cursor"].toSorted());
    });
  }

  it("conversations.list refuses to exclude an unknown participant, because it would list everything", async () => {
    const filter = { participants: [987654], participants_mode: "exclude" };
    const conversations = filtered.find(({ op }) => op.name === "conversations.list")!;
    expect(await wrongFields(world().actors.member.call(conversations.op, filter))).toEqual(["participants"]);
  });

  it("conversations.list refuses exclude without participants, because it would list everything", async () => {
    const { op } = filtered.find(({ op }) => op.name === "conversations.list")!;
    const { member } = world().actors;
    const exclude = { participants_mode: "exclude" };
    expect(await wrongFields(member.call(op, exclude))).toEqual(["participants_mode"]);
    expect(await wrongFields(member.call(op, { ...exclude, limit: 0 }))).toEqual(["limit", "participants_mode"]);
    expect(await wrongFields(member.call(op, { ...exclude, participants: ["x"] }))).toEqual(["participants.0"]);
    expect(await codeOf(member.call(op, { participants_mode: "find" }))).toBe("ok");
  });

  it("posts.list takes a deleted author, and refuses a group that the actor cannot see", async () => {
    const { administrator, outsider } = world().actors;
    const { id: author } = await world().addUser();
    await administrator.call(users.delete, { id: author });
    expect(await codeOf(administrator.call(posts.list, { author }))).toBe("ok");
    const { id: group } = await administrator.call(groups.create, { name: "Private", privacy: "private" });
    expect(await codeOf(administrator.call(posts.list, { group }))).toBe("ok");
    expect(await wrongFields(outsider.call(posts.list, { group }))).toEqual(["group"]);
  });
});
