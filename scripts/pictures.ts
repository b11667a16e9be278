import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "./reference/start-server.ts";
import { drawTerminal } from "./terminal-picture.ts";

// Draws the pictures of the README from the output of the built program in a real terminal. Needs `script` of util-linux.
const root = join(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "wcs-pictures-"));
const columns = 100;
const env = {
  HOME: home,
  PATH: [join(home, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
  TZ: "UTC",
  TERM: "xterm-256color",
  PAGER: "cat",
};
const run = promisify(execFile);

/** Runs commands in bash, and returns their output without colour. */
const prepare = async (commands: string) => (await run("bash", ["-e", "-c", commands], { cwd: home, env })).stdout;

/** Runs a command line in a terminal, and writes a picture of it to docs/images. */
async function picture(name: string, title: string, line: string): Promise<void> {
  const shell = `stty cols ${columns} rows 40; ${line}`;
  const { stdout } = await run("script", ["-q", "-e", "-c", `${shell} || true`, "/dev/null"], { cwd: home, env });
  const prompt = `\x1b[32m$\x1b[39m \x1b[1m${line.replaceAll("\n", "\x1b[22m\n  \x1b[1m")}\x1b[22m\n`;
  writeFileSync(join(root, `docs/images/${name}.svg`), drawTerminal(prompt + stdout, title, columns));
}

// The receiver is down for two callbacks, and then works again.
let calls = 0;
const receiver = await startServer((request, response) => {
  calls += 1;
  request.resume();
  response.writeHead(calls === 2 || calls === 3 ? 503 : 204).end();
});

try {
  cpSync(join(root, "examples/tutorial"), home, { recursive: true });
  await prepare(`mkdir bin && printf '#!/bin/sh\\nexec node ${root}/bin/wcs.js "$@"\\n' > bin/wcs && chmod +x bin/wcs
    wcs init --db nordwind.db --root-unit "Nordwind Logistics" --admin-email ada@nordwind.example --admin-name "Ada Lovelace"
    wcs units update 1 --reference NW && wcs units import units.csv
    for type in Employee Manager Editor; do wcs usertypes create --name $type; done
    wcs users import people.csv --dry-run --save-mapping people.yaml \
      --map 'Employee ID=reference,First name=first_name,Last name=last_name,Mail=email,Cost centre=unit,Position=title,Role=user_types,Joined=' || true`);
  await picture("import", "An import of users from a CSV file", "wcs users import people.csv --mapping people.yaml");
  await picture("tree", "The tree of units", "wcs units tree");
  await prepare(`wcs settings set webhooks.allow_private true
    wcs webhooks create --name payroll --uri ${receiver.url}/hook
    wcs users update 2 --title "Chief Operating Officer"
    wcs users create --first-name Ingrid --last-name Berg --email ingrid@nordwind.example --unit HR
    wcs users deactivate 11 --yes
    wcs units create --name Legal --parent NW --reference LEGAL
    wcs webhooks resend payroll 2`);
  await picture("webhook-log", "The log of a webhook", "wcs webhooks logs payroll");
} finally {
  receiver.close();
  rmSync(home, { recursive: true, force: true });
}
