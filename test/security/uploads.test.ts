import { afterEach, describe, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { pathFields } from "../../src/contract/field-spec.ts";
import type { FileItem } from "../../src/contract/file-schemas.ts";
import { groups } from "../../src/contract/groups.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { type Fake, gate, lastBody, operations, serveFake, speak } from "../http/support.ts";
import { useWorld } from "../support/actors.ts";
import { upload } from "../support/attachments.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal } from "../support/outcome.ts";

const megabytes = 2_000_000;
const withLargeBodies = operations.filter(({ bodyLimit = 0 }) => bodyLimit > 1_048_576);
/** Operations that any user may call, or whose permission depends on the body. */
const decidedByBody = ["conversations.create", "events.create", "events.filesAdd", "posts.create"];

/** Returns the head of a request with a large body, whose sender waits for 100 Continue. */
const head = (path: string, { token = "", length = megabytes, method = "POST", expects = true } = {}) =>
  [
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`,
    token && `Authorization: Bearer ${token}\r\n`,
    expects ? "Expect: 100-continue\r\n" : "",
    "Connection: close\r\n\r\n",
  ].join("");

describe("large bodies and permission", () => {
  const world = useWorld({ database: "sqlite", caller: "http" });
  const pathOf = (op: AnyOperation, ids: Record<string, number>) =>
    `/api${op.path.replace(/\{(\w+)(?:=\w+)?\}/g, String(ids[op.name.split(".")[0] ?? ""]))}`;

  it("A user without permission cannot have a large body read", async () => {
    const { actors, ids, instance, units } = world();
    const admin = actors.administrator;
    const { id: event } = await admin.call(events.create, { title: "Secret", type: "user", start: 1, end: 2 });
    const message = await admin.call(conversations.create, { recipients: [ids.boss], message: "Between us" });
    const post = await admin.call(posts.create, { content_type: "news", title: "Draft", unit: 1 });
    const group = await admin.call(groups.create, { name: "Board", privacy: "private" });
    const named = {
      ...{ events: event, conversations: message.conversationId, posts: post.id },
      ...{ users: ids.boss, units: units.north, groups: group.id },
    };
    const token = await instance.tokenOf(ids.outsider);
    const port = Number(new URL(instance.url).port);
    const answers = await Promise.all(
      withLargeBodies
        .filter(({ name }) => !decidedByBody.includes(name))
        .map(
          async (op) => [op.name, await speak(port, head(pathOf(op, named), { token, method: op.method }))] as const,
        ),
    );
    expect(answers.length).toBeGreaterThan(4);
    for (const [name, text] of answers) expect(`${name} ${text.slice(0, 12)}`).toMatch(/ HTTP\/1.1 40[34]$/);
  });

  it("An idempotency key of another operation does not admit a large body", async () => {
    const { actors, ids, instance } = world();
    const key = { idempotencyKey: "harmless" };
    await actors.outsider.call(posts.create, { content_type: "debate", title: "Harmless" }, key);
    const { id: event } = await actors.administrator.call(events.create, {
      title: "S",
      type: "user",
      start: 1,
      end: 2,
    });
    const origin = { token: await instance.tokenOf(ids.outsider), ...key };
    const ask = (op: AnyOperation, path: object) => codeOf(instance.service.admit(op, { ...path }, origin));
    expect(await ask(events.filesAddTo, { id: event })).toBe("not_found");
    expect(await ask(posts.create, {})).toBe("ok");
  });

  it("Nobody without a token can have a large body read, whatever the operation", async () => {
    const port = Number(new URL(world().instance.url).port);
    const named = { events: 1, conversations: 1, posts: 1, users: 1, units: 1, groups: 1 };
    for (const op of withLargeBodies) {
      const text = await speak(port, head(pathOf(op, named), { method: op.method }));
      expect(`${op.name} ${text.slice(0, 12)}`).toBe(`${op.name} HTTP/1.1 401`);
    }
  });

  it("A large body to an invalid path is refused before it is read", async () => {
    const { ids, instance } = world();
    const token = await instance.tokenOf(ids.member);
    for (const op of withLargeBodies.filter((each) => pathFields(each).length > 0)) {
      const path = `/api${op.path.replace(/\{[^}]+\}/g, "x")}`;
      const text = await speak(Number(new URL(instance.url).port), head(path, { token, method: op.method }));
      expect(`${op.name} ${text.slice(0, 12)}`).toBe(`${op.name} HTTP/1.1 422`);
    }
  });
});

describeOnOneDatabase("files and permission", (environment) => {
  const world = useWorld(environment);

  it("A user without permission cannot have files decoded", async () => {
    const files = [{ ...upload("a.txt", "text"), data: "not base64" }];
    const { member } = world().actors;
    const chain = { title: "All hands", type: "chain", start: 1, end: 2, files } as const;
    expect(await codeOf(member.call(events.create, chain))).toBe("forbidden");
    expect(await codeOf(member.call(posts.create, { content_type: "news", title: "News", files }))).toBe("forbidden");
  });
});

describeOnOneDatabase("files and the disk", (environment) => {
  const world = useWorld(environment);

  it("A user uploads at most 10,000 chunks of 255 KiB in 24 hours, except administrators", async () => {
    const { actors, ids, instance } = world();
    instance.freeze();
    const event = { kind: "upload", network: "", pending: 0, expires_at: instance.now() + 3600 } as const;
    const sent = [ids.member, ids.administrator].flatMap((id) =>
      Array.from({ length: 9_997 }, () => ({ ...event, account: `user:${id}` })),
    );
    await instance.database.write((tx) => insertRows(tx, "rate_limit_events", sent));
    const send = (by: Caller, ...files: FileItem[]) =>
      by.call(conversations.create, { recipients: [ids.colleague], message: "Look", files });
    const large = upload("large.txt", "x".repeat(255 * 1024 + 1));
    const small = upload("small.txt", "x".repeat(255 * 1024));
    const limited = {
      code: "too_many_requests",
      message: expect.stringContaining("You uploaded too much in 24 hours"),
      retryAfter: 3600,
    };
    expect(await refusal(send(actors.member, large, large))).toMatchObject(limited);
    expect(await codeOf(send(actors.administrator, large, large))).toBe("ok");
    expect(await codeOf(send(actors.member, large))).toBe("ok");
    expect(await codeOf(send(actors.member, small))).toBe("ok");
    expect(await refusal(send(actors.member, small))).toMatchObject(limited);
    const video = { type: "vimeo", name: "Film", data: "https://vimeo.com/1" } as const;
    expect(await codeOf(send(actors.member, video))).toBe("ok");
    expect(await codeOf(send(actors.outsider, small))).toBe("ok");
    instance.wait(3600);
    expect(await codeOf(send(actors.member, small))).toBe("ok");
  });
});

describe("large bodies of several users", () => {
  let server: Fake;
  afterEach(() => server.close());
  /** Users are distinguished by their tokens. No body is ended as slow. */
  const serve = (answer?: Parameters<typeof serveFake>[0]) =>
    serveFake(answer, { admit: async (_, __, { token }) => Number(token), timeouts: { grace: 200, body: 600_000 } });
  const body = JSON.stringify({ recipients: [2], message: "x".repeat(megabytes) });
  const path = "/api/conversations";
  const send = (token: string) => speak(server.port, head(path, { token, length: body.length, expects: false }), body);

  it("Slow uploads do not hold up those of others", async () => {
    server = await serve();
    const length = 40 * 1024 * 1024;
    const slow = ["1", "2", "3", "4", "5", "6", "7"].map((token) =>
      speak(server.port, head(path, { token, length }), "{"),
    );
    for (let i = 0; i < 5; i++) expect(await send("8")).toMatch(/^HTTP\/1.1 201 /);
    await server.close();
    // All of them had got 100 Continue, and their bodies were still arriving.
    expect(await Promise.all(slow)).toEqual(slow.map(() => "HTTP/1.1 100 Continue\r\n\r\n"));
  });

  it("A user cannot send two large bodies at a time", async () => {
    const first = gate();
    server = await serve(async () => {
      await first.opened;
      return { id: 7, conversationId: 5 };
    });
    const users = () => server.calls.map(({ origin }) => origin.token).sort();
    const one = send("1");
    await expect.poll(users).toEqual(["1"]);
    const two = send("1");
    const others = ["2", "3"].map(send);
    await expect.poll(users).toEqual(["1", "2", "3"]);
    first.open();
    for (const text of await Promise.all([one, two, ...others])) expect(text).toContain("HTTP/1.1 201 ");
    expect(users()).toEqual(["1", "1", "2", "3"]);
  });

  it("A user who sends too many large bodies at a time gets too_many_requests", async () => {
    const first = gate();
    server = await serve(async () => {
      await first.opened;
      return { id: 7, conversationId: 5 };
    });
    const one = send("1");
    await expect.poll(() => server.calls.length).toBe(1);
    const waiting = Array.from({ length: 21 }, () => speak(server.port, head(path, { token: "1" })));
    const refused = await Promise.race(waiting);
    expect(refused).toMatch(/^HTTP\/1.1 429 /);
    expect(refused.toLowerCase()).toContain("retry-after: 5");
    expect(lastBody(refused).error?.code).toBe("too_many_requests");
    first.open();
    expect(await one).toContain("HTTP/1.1 201 ");
  });
});
