import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { newReceiver, type Receiver } from "../support/receiver.ts";
import { finished, start, useHome } from "./support.ts";

const home = useHome();
let receiver: Receiver;
let secret = "";
const running: ChildProcess[] = [];

beforeAll(async () => {
  receiver = await newReceiver();
  await home().sit(["settings", "set", "webhooks.allow_private", "true"]);
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await receiver.close();
});

const create = () => `webhooks create --name ci --uri ${receiver.url}/hook --if-not-exists --json`.split(" ");
const somebody = (email: string) =>
  `users create --first-name Some --last-name Body --email ${email} --unit 1 -q`.split(" ");

/** Starts wcs and gathers what it prints, until it is told to end. */
function background(args: readonly string[], env: Record<string, string> = {}) {
  const child = start(args, { ...home().env, ...env });
  running.push(child);
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (said.stdout += chunk));
  child.stderr?.on("data", (chunk) => (said.stderr += chunk));
  const until = async (stream: "stdout" | "stderr", text: string) => {
    while (!said[stream].includes(text)) await once(child[stream]!, "data");
  };
  return { child, said, until };
}

it("webhooks create --if-not-exists makes one, then shows it", async () => {
  const made = JSON.parse((await home().sit(create())).stdout);
  const { secret: _, ...again } = made;
  secret = made.secret;
  expect(secret).toMatch(/^whsec_/);
  expect(JSON.parse((await home().sit(create())).stdout)).toEqual(again);
});

it("a local command calls the webhook before it ends, and webhooks logs --wait is the gate", async () => {
  const { code } = await home().sit(somebody("one@example.com"));
  expect(code).toBe(0);
  expect(receiver.received).toHaveLength(1);
  const gate = ["webhooks", "logs", "1", "--wait", "--event", "user.create", "--json"];
  const passed = await home().sit([...gate, "--status", "2xx", "--timeout", "10s"]);
  expect(passed.code).toBe(0);
  expect(JSON.parse(passed.stdout)).toMatchObject({ event: "user.create", status: "200", attempt: 1 });
  const page = async (number: string, ...more: string[]) =>
    home().sit(["webhooks", "logs", "1", "--page", number, "--json", ...more]);
  expect(JSON.parse((await page("1")).stdout)).toHaveLength(1);
  expect(JSON.parse((await page("2")).stdout)).toEqual([]);
  expect((await page("1", "--follow")).code).toBe(2);
  const shut = await home().sit([...gate, "--status", "500", "--timeout", "1s"]);
  expect(shut).toMatchObject({ code: 9, stdout: "" });
  const arrived = "arrived within 1s, but 1 attempt with status 200.";
  expect(shut.stderr).toContain(`No attempt with event user.create and status 500 ${arrived}`);
  const own = await home().sit([...gate, "--user", "one@example.com"]);
  expect(JSON.parse(own.stdout)).toMatchObject({ id: 1, status: "200" });
  const other = await home().sit([...gate, "--user", "me", "--status", "2xx", "--timeout", "1s"]);
  expect([other.code, JSON.parse(other.stderr).error.message]).toEqual([
    9,
    "No attempt with event user.create, user 1 and status 2xx arrived within 1s.",
  ]);
  const late = await home().sit([...gate, "--after", "1", "--status", "2xx", "--timeout", "1s"]);
  expect(late.stderr).toContain("No attempt with event user.create and status 2xx arrived within 1s.");
});

it("webhooks log escapes control characters in headers", async () => {
  const db = new DatabaseSync(home().path("data/wcs/wcs.db"));
  const response = JSON.stringify({ headers: { "x-\u001b[2J": "\u001b[1m" }, body: "", cut: false });
  db.prepare("update webhook_logs set response = ? where id = 1").run(response);
  db.close();
  for (const screen of [undefined, { width: 80, height: 24 }]) {
    const { stdout } = await home().sit(["webhooks", "log", "1", "1"], { ...(screen && { screen }) });
    expect(stdout).toContain("x-\\u001b[2J");
    expect(stdout).not.toContain("\u001b[2J");
  }
});

it("webhooks verify accepts what was signed, and nothing else", async () => {
  const { body, headers } = receiver.received[0]!;
  writeFileSync(home().path("secret"), secret);
  const named = ["webhook-id", "webhook-timestamp", "webhook-signature"].flatMap((name) => [
    "-H",
    `${name}: ${headers[name]}`,
  ]);
  const verify = (stdin: string, more: string[] = []) =>
    home().sit(["webhooks", "verify", "--secret-file", home().path("secret"), ...named, ...more], { stdin });
  expect((await verify(body)).code).toBe(0);
  const other = await verify(body.replace("Some", "Sane"));
  expect([other.code, other.stderr]).toEqual([9, expect.not.stringContaining("line break")]);
  const echoed = await verify(`${body}\n`);
  expect([echoed.code, echoed.stderr]).toEqual([9, expect.stringContaining("printf %s")]);
  expect(
    (await verify(body, ["--tolerance", "1s", "-H", `webhook-timestamp: ${Number(headers["webhook-timestamp"]) - 60}`]))
      .code,
  ).toBe(9);
});

it("webhooks logs --follow prints entries in a pipe, and survives a restart of the service, as --wait does", async () => {
  const port = String(await freePort());
  const { stdout: token } = await home().sit(["auth", "token"]);
  const serve = () => background(["serve", "--port", port, "--log-level", "silent", "--shutdown-notice", "0"]);
  const remote = { WCS_URL: `http://127.0.0.1:${port}`, WCS_TOKEN: token.trim() };
  let server = serve();
  await server.until("stdout", port);
  const follow = background(["webhooks", "logs", "1", "--follow", "-o", "ndjson", "--since", "-1h"], remote);
  await follow.until("stdout", '"user.create"');
  const gate = ["webhooks", "logs", "1", "--wait", "--event", "unit.create", "--json"];
  const wait = background([...gate, "--timeout", "120s"], remote);
  const waited = once(wait.child, "close");
  server.child.kill("SIGTERM");
  await once(server.child, "close");
  await follow.until("stderr", "Retrying");
  await wait.until("stderr", "Retrying");
  expect(await home().sit([...gate, "--timeout", "1s"], { env: remote })).toMatchObject({ code: 8, stdout: "" });
  server = serve();
  await server.until("stdout", port);
  await follow.until("stderr", "is back");
  await home().sit(["units", "create", "--name", "New", "--parent", "1", "-q"], { env: remote });
  await follow.until("stdout", '"unit.create"');
  expect(await waited).toEqual([0, null]);
  expect(JSON.parse(wait.said.stdout)).toMatchObject({ event: "unit.create" });
  follow.child.kill("SIGINT");
  const [code] = await once(follow.child, "close");
  expect(code).toBe(130);
  const events = follow.said.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).event);
  expect(events).toEqual(["user.create", "unit.create"]);
  server.child.kill("SIGTERM");
  await once(server.child, "close");
});

it("webhooks logs --follow leaves nothing out, however much comes at once", async () => {
  const db = new DatabaseSync(home().path("data/wcs/wcs.db"));
  const write = db.prepare(
    "insert into webhook_logs (webhook_id, event_id, message_id, event, uri, status, attempt, duration_ms, created_at, request_headers) values (2, 1, 'msg_1', 'user.create', 'http://x/', ?, 1, 1, unixepoch(), '{}')",
  );
  const burst = (count: number, last: string) => {
    db.exec("begin immediate");
    for (let n = 1; n < count; n++) write.run("500");
    write.run(last);
    db.exec("commit");
  };
  await home().sit(["webhooks", "create", "--name", "busy", "--uri", `${receiver.url}/busy`]);
  burst(11_000, "201");
  const follow = background(["webhooks", "logs", "2", "--follow", "--since", "-1h", "-o", "ndjson"]);
  await follow.until("stdout", '"201"');
  burst(1200, "202");
  await follow.until("stdout", '"202"');
  db.close();
  follow.child.kill("SIGINT");
  await once(follow.child, "close");
  const ids = follow.said.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  const [first] = ids;
  expect(ids).toEqual(Array.from({ length: 12_200 }, (_, at) => first + at));
});

it("webhooks listen forwards events, signed with the secret that it prints", async () => {
  const program = await newReceiver();
  const listener = background([
    "webhooks",
    "listen",
    "--forward-to",
    `${program.url}/x`,
    "--triggers",
    "user.create",
    "--print-secret",
  ]);
  await listener.until("stdout", "whsec_");
  await finished(start(["units", "create", "--name", "Other", "--parent", "1", "-q"], home().env));
  await finished(start(somebody("two@example.com"), home().env));
  await program.until(1);
  const { body, headers } = program.received[0]!;
  const { type } = new Webhook(listener.said.stdout.trim()).verify(body, headers as Record<string, string>) as {
    type: string;
  };
  expect(type).toBe("user.create");
  await program.close();
  await finished(start(somebody("three@example.com"), home().env));
  await listener.until("stderr", "connection refused");
  listener.child.kill("SIGINT");
  expect((await once(listener.child, "close"))[0]).toBe(130);
});

it("webhooks listen needs to know where to", async () => {
  expect(await home().sit(["webhooks", "listen"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--forward-to"),
  });
});

it("webhooks test and recover name the command that activates the webhook", async () => {
  const { sit } = home();
  const made = ["webhooks", "create", "--name", "idle", "--uri", "https://example.com/", "--json"];
  const { id } = JSON.parse((await sit(made)).stdout);
  await sit(["webhooks", "update", `${id}`, "--no-active"]);
  for (const line of [["test"], ["recover", "--since", "-2d"]]) {
    const { code, stderr } = await sit(["webhooks", ...line, `${id}`]);
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr:
        `error: Webhook ${id} is not active; activate it first.\n` +
        `hint: Activate it with wcs webhooks update ${id} --active.\n`,
    });
  }
});

it.each([
  ["Asia/Tokyo", 9],
  ["America/Phoenix", -7],
])("the chart of stats begins at a time in the zone of --tz, %s", async (zone, hours) => {
  const { id } = JSON.parse((await home().sit(create())).stdout);
  const since = Math.floor(Date.now() / 3_600_000) * 3600 - 86_400;
  const { stdout } = await home().sit(["webhooks", "stats", `${id}`, "--since", `${since}`, "--tz", zone], {
    screen: { width: 80, height: 24 },
  });
  const local = new Date((since + hours * 3600) * 1000).toISOString();
  expect(stdout).toContain(local.slice(0, 16).replace("T", " "));
});
