import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { bin, finished, newHome, start, useHome } from "./support.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const isInstallation = (line: string) => line.startsWith("npm install ");

interface Step {
  readonly run?: string;
}
const github: { jobs: { users: { env: Record<string, string>; steps: Step[] } } } = parse(
  read("examples/ci/github-actions.yml"),
);
const gitlab: Record<"check-users" | "import-users", { script: string[] }> & { variables: Record<string, string> } =
  parse(read("examples/ci/gitlab-ci.yml"));
const [, section = ""] = /## Scripts and CI\n([\s\S]*?)\n## /.exec(read("README.md")) ?? [];
const [readme = ""] = [...section.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, text = ""]) =>
  text.includes("wcs tokens create") ? [text] : [],
);

/** The commands of a job by the name of the CI system, without the installation of wcs, and the variables it sets. */
const jobs: Record<string, { script: string[]; variables: Record<string, string> }> = {
  "GitHub Actions": {
    script: github.jobs.users.steps.flatMap(({ run }) => run ?? []),
    variables: github.jobs.users.env,
  },
  "GitLab CI": {
    script: [...gitlab["check-users"].script, ...gitlab["import-users"].script],
    variables: gitlab.variables,
  },
};

const home = useHome();
let server: ChildProcess;
let url: string;
let WCS_TOKEN: string;

beforeAll(async () => {
  const json = async (...args: string[]) => JSON.parse((await home().sit([...args, "--json"])).stdout);
  await home().sit(["units", "update", "1", "--reference", "HQ"]);
  const type = await json("usertypes", "create", "--name", "Importer", "--abilities-user");
  const names = ["--first-name", "Nightly", "--last-name", "Import"];
  const account = await json("users", "create", "--service", ...names, "--unit", "1", "--user-types", String(type.id));
  const owner = ["--owner", String(account.id)];
  WCS_TOKEN = (await json("tokens", "create", "--name", "ci", ...owner, "--scopes", "read,users.import")).token;
  server = start(["serve", "--port", "0", "--log-level", "silent"], home().env);
  const [address] = (await once(server.stdout!, "data")) as [Buffer];
  url = String(address).trim();
});
afterAll(() => void server.kill("SIGKILL"));

/** Runs a script in an empty home, or in the given environment, with a program `wcs` on the path. */
async function run(script: string, more: Record<string, string>) {
  const job = newHome();
  try {
    mkdirSync(job.path("bin"));
    writeFileSync(job.path("bin/wcs"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
    chmodSync(job.path("bin/wcs"), 0o755);
    writeFileSync(
      job.path("users.csv"),
      "first_name,last_name,email,unit\nKatherine,Johnson,katherine@example.com,HQ\n",
    );
    const env = { ...job.env, ...more, PATH: `${job.path("bin")}${delimiter}${job.env.PATH}` };
    return await finished(
      spawn("bash", ["-e", "-o", "pipefail", "-c", script], { cwd: job.folder, env, stdio: "pipe" }),
    );
  } finally {
    rmSync(job.folder, { recursive: true, force: true });
  }
}

it.each(Object.entries(jobs))("the job for %s imports users, also when it runs again", async (_, job) => {
  expect(job.variables.WCS_URL).toBe("https://wcs.example.com");
  const script = job.script.filter((line) => !isInstallation(line)).join("\n");
  expect(script).toMatch(/--dry-run\n.*wcs users import users\.csv --strict$/);
  for (const _time of ["first", "second"]) {
    const { code, stdout, stderr } = await run(script, { WCS_URL: url, WCS_TOKEN });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/API token/);
  }
  const { stdout } = await home().sit(["users", "list", "--all", "--json"]);
  expect(JSON.parse(stdout).filter(({ email }: { email: string }) => email === "katherine@example.com")).toHaveLength(
    1,
  );
});

it("the CI section of the README creates a token that works", async () => {
  const { code, stdout, stderr } = await run(readme, {
    WCS_CONFIG_DIR: home().env.WCS_CONFIG_DIR!,
    XDG_DATA_HOME: home().env.XDG_DATA_HOME!,
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/kind\tAPI token/);
  expect(stdout).toMatch(/Nightly Import/);
});
