import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { newHome, start, useHome } from "../cli/support.ts";
import { startFreezingProxy } from "../support/freezing-proxy.ts";
import { newDatabase } from "../support/instance.ts";
import { receiverOfTest } from "../support/receiver.ts";
import { type Server, serve } from "./support.ts";

/** Longer than the 30 seconds within which a server ends, as a busy machine needs, and shorter than what is waited for here. */
const late = 34_000;

describe("wcs serve ends within 30 seconds of SIGTERM", () => {
  const home = useHome({ database: false });

  const run = async (env: Record<string, string>, ...args: string[]) => {
    const { code, stdout, stderr } = await home().spawn(args, { env });
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  const init = (env: Record<string, string>) =>
    run(env, "init", "--admin-email", "ada@example.com", "--admin-name", "Ada L", "--no-profile");
  const endOf = ({ process }: Server) => {
    process.kill("SIGTERM");
    onTestFinished(() => void process.kill("SIGKILL"));
    return Promise.race([once(process, "close"), sleep(late, "late", { ref: false })]);
  };

  it("although PostgreSQL vanished and the result of a callback cannot be written", async () => {
    const { target, remove } = await newDatabase("postgres");
    const proxy = await startFreezingProxy(target);
    const receiver = await receiverOfTest();
    const answers: ServerResponse[] = [];
    receiver.answer = (_, response) => void answers.push(response);
    const direct = { WCS_DB: target };
    await init(direct);
    await run(direct, "settings", "set", "webhooks.allow_private", "true");
    await run(direct, "webhooks", "create", "--name", "w", "--uri", receiver.url);
    const server = await serve(home(), ["--port", "0"], { WCS_DB: proxy.target });
    await run(direct, "units", "create", "--name", "One", "--parent", "1");
    await receiver.until(1);
    proxy.freeze();
    const ended = endOf(server);
    await sleep(8_000);
    for (const response of answers) response.end("ok");
    expect(await ended).toEqual([0, null]);
    proxy.close();
    await remove();
  });

  it("although a worker is stopped", async () => {
    const env = { WCS_DB: home().path("workers.db") };
    await init(env);
    const server = await serve(home(), ["--port", "0", "--workers", "2"], env);
    const ready = () => server.log().filter(({ msg }) => msg === "a worker is ready");
    await expect.poll(() => ready().length).toBe(2);
    process.kill(Number(ready()[1]?.worker), "SIGSTOP");
    expect(await endOf(server)).toEqual([0, null]);
  });
});

it("a server that is stopped while it waits for the database has not failed for systemd", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const server = start(["serve", "--port", "0", "--db", `postgres://wcs@127.0.0.1:${port}/wcs`], newHome().env);
  onTestFinished(() => void server.kill("SIGKILL"));
  await once(silent, "connection");
  server.kill("SIGTERM");
  const [code] = await once(server, "close");
  expect(statusesOf("SuccessExitStatus")).toEqual([code]);
});

describe("systemd does not start the service again", () => {
  const home = useHome();

  it("after a wrong option, or when the database is newer than the program", async () => {
    const wrong = await home().spawn(["serve", "--port", "x"]);
    const database = new DatabaseSync(home().path("data/wcs/wcs.db"));
    database.exec("insert into kysely_migration values ('9999-future', '2099')");
    database.close();
    const newer = await home().spawn(["serve", "--port", "0"]);
    expect(newer.stderr).toContain("newer version");
    expect(statusesOf("RestartPreventExitStatus")).toEqual([wrong.code, newer.code]);
  });
});

/** Returns the exit codes in a line of the systemd unit. */
function statusesOf(key: string): number[] {
  const unit = readFileSync(join(import.meta.dirname, "../../packaging/systemd/wcs.service"), "utf8");
  const [, statuses = ""] = new RegExp(`^${key}=(.*)$`, "m").exec(unit) ?? [];
  return statuses.split(" ").map(Number);
}
