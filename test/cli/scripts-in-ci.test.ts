import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newReceiver, type Receiver } from "../support/receiver.ts";
import { bin, finished, start, useHome } from "./support.ts";

const home = useHome();
const hasJq = spawnSync("jq", ["--version"]).status === 0;
let receiver: Receiver;
let server: ChildProcess;
/** The variables that a job sets to reach its target. */
const targets: Record<"locally" | "over HTTP", Record<string, string>> = { locally: {}, "over HTTP": {} };

beforeAll(async () => {
  const { wcs, path, env } = home();
  receiver = await newReceiver();
  await wcs(["settings", "set", "webhooks.allow_private", "true"]);
  await wcs(["units", "update", "1", "--reference", "HQ"]);
  const { stdout } = await wcs(["tokens", "create", "--name", "ci", "--scopes", "write", "--json"]);
  server = start(["serve", "--port", "0", "--log-level", "silent"], env);
  const [line] = await once(server.stdout!, "data");
  targets.locally = { WCS_PROFILE: "local" };
  targets["over HTTP"] = {
    WCS_URL: String(line).trim(),
    WCS_TOKEN: JSON.parse(stdout).token,
    WCS_CONFIG_DIR: path("none"),
  };
  writeFileSync(path("wcs"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(path("wcs"), 0o755);
});
afterAll(async () => {
  server.kill("SIGKILL");
  await receiver.close();
});

const script = String.raw`
set -euo pipefail
mkdir "$JOB"; cd "$JOB"

# A webhook, whose secret is shown only now.
wcs webhooks create --name "$JOB" --uri "$RECEIVER" --triggers user.create --json > webhook.json
id=$(jq -r .id webhook.json)
jq -r .secret webhook.json > secret.txt

# An import that says on stdout what it did.
printf 'first_name,last_name,email,unit\nKatherine,Johnson,%s@example.com,HQ\n' "$JOB" > people.csv
wcs users import people.csv --json > summary.json
test "$(jq .created summary.json)" = 1

# The call, once it was delivered.
wcs webhooks logs "$id" --wait --event user.create --status 200 --timeout 60s --json > entry.json
wcs webhooks log "$id" "$(jq .id entry.json)" --json > attempt.json
test "$(jq -r .status attempt.json)" = 200

# All users, whatever the size of a page.
wcs users list --json | jq -r '.[].email' | grep -q "^$JOB@example.com$"

# Exit codes to branch on.
code=0; wcs users get nobody@example.com > /dev/null 2>&1 || code=$?
case $code in 6) echo "no such user" ;; *) echo "unexpected $code"; exit 1 ;; esac
code=0; wcs users create --lanugage da 2> error.txt || code=$?
test $code = 2; grep -q -- --language error.txt
code=0; printf 'first_name,last_name,email,unit\nBad,Row,nonsense,HQ\n' | wcs users import - --json > bad.json 2> bad.txt || code=$?
test $code = 3; test "$(jq .skipped bad.json)" = 1
code=0; WCS_TOKEN=wrong wcs users list > /dev/null 2>&1 || code=$?
test $code = 4
code=0; env -u WCS_URL wcs units list --url http://127.0.0.1:1 > /dev/null 2>&1 || code=$?
test $code = 8
wcs webhooks delete "$id" --yes -q
echo done
`;

describe.skipIf(!hasJq).each(["locally", "over HTTP"] as const)("a job that works %s", (place) => {
  it("creates a webhook, imports a user, waits for the signed call, and branches on exit codes", async () => {
    const job = place === "locally" ? "local" : "remote";
    const { folder, env } = home();
    const child = spawn("bash", ["-c", script], {
      cwd: folder,
      env: { ...env, ...targets[place], PATH: `${folder}:${env.PATH}`, JOB: job, RECEIVER: receiver.url, CI: "true" },
      stdio: "pipe",
    });
    const { code, stdout, stderr } = await finished(child, "");
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "no such user\ndone\n" });
    const call = receiver.received.find(({ body }) => body.includes(`${job}@example.com`));
    const headers = Object.entries(call?.headers ?? {}).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const verify = ["webhooks", "verify", "--secret-file", home().path(`${job}/secret.txt`), ...headers];
    expect(await home().wcs(verify, { stdin: call?.body ?? "" })).toMatchObject({ code: 0 });
    expect(await home().wcs(verify, { stdin: `${call?.body} ` })).toMatchObject({ code: 9 });
  });
});
