import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context, TopLevelCommand } from "../../kit/command-spec.ts";
import { lineOf } from "../../terminal/shell-words.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export const demo: TopLevelCommand = {
  description: "Takes a few seconds and does not change your data or profiles.",
  run,
};

async function run({ terminal, program }: Context): Promise<void> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "wcs-demo-"));
  const receiver = await startReceiver();
  let shown = "";
  const stage: Terminal = {
    ...terminal,
    env: { ...ownEnvironment(terminal), WCS_DB: join(folder, "demo.db"), WCS_CONFIG_DIR: folder },
    interactive: false,
    configure: () => {},
    note: () => {},
    page: (text) => terminal.write(text),
    write: (text) => {
      shown = text;
      return terminal.write(text);
    },
  };
  const { strong, dim } = terminal.paint;
  const say = (text: string) => terminal.write(`\n${dim(`# ${text}`)}\n`);
  const show = async (line: string, ...more: string[]) => {
    const args = [...line.split(" "), ...more];
    await terminal.write(`${strong(`$ ${lineOf(args)}`)}\n`);
    await program.run([...args, "-o", "table"], stage);
    return shown;
  };
  try {
    await tell({ write: (text) => terminal.write(text), say, show, receiver });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    await say(
      `This took ${seconds} s, and the database is deleted again. With --url, the same commands work on an instance.`,
    );
    await terminal.write("To set up your own, run wcs init, then wcs --help\n");
  } finally {
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Stage {
  write(text: string): Promise<void>;
  say(text: string): Promise<void>;
  /** Runs a command, whose last arguments may contain spaces, and returns its last output. */
  show(line: string, ...more: string[]): Promise<string>;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
}

async function tell({ write, say, show, receiver }: Stage): Promise<void> {
  await say("Create a database with a small organisation. Ada is its administrator.");
  await show("init --demo --root-unit Acme --admin-email ada@example.com --admin-name", "Ada Lovelace");
  await say("Users belong to units, which form a tree.");
  await show("units tree");
  await show("users search engineer --fields id,name,title,unit.name");
  await say("Register a webhook, so that another program is called when a user is created.");
  const registered = await show(
    `webhooks create --name payroll --uri ${receiver.url} --triggers user.create --fields id,uri,triggers,secret`,
  );
  receiver.trust(/whsec_\S+/.exec(registered)?.[0] ?? "");
  await say("Create a user ...");
  await show(
    "users create --first-name Katherine --last-name Johnson --email katherine@example.com --unit 2 --fields id,name,unit.name",
  );
  await say("... and the program is called, with a signature that it can verify.");
  await write(`${receiver.heard.join("\n")}\n\n`);
  await show("webhooks logs 1 --fields id,event,status,duration_ms");
}

/** Returns the environment without the variables that select a profile, target or login of the user. */
function ownEnvironment({ env }: Terminal): NodeJS.ProcessEnv {
  const { WCS_PROFILE: _profile, WCS_URL: _url, WCS_TOKEN: _token, WCS_PASSWORD: _password, ...rest } = env;
  return rest;
}

/** Starts a program on this machine that receives callbacks, checks their signatures and records them in `heard`. */
async function startReceiver() {
  const heard: string[] = [];
  let key = Buffer.alloc(0);
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given } = request.headers;
    const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64");
    const { type, data } = JSON.parse(body.toString()) as { type: string; data: { name: string } };
    heard.push(
      `POST ${request.url}  ${type}  ${data.name}  ${given === `v1,${expected}` ? "signature good" : "SIGNATURE BAD"}`,
    );
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    heard,
    trust(secret: string) {
      key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    },
    close: () => void server.close(),
  };
}
