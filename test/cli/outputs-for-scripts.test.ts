import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();
const screen = { width: 100, height: 40 };
const wcs = (line: string) => home().wcs(line.split(" "));

const person = (name: string) =>
  wcs(`users create --first-name ${name} --last-name Low --email ${name.toLowerCase()}@example.com --unit 2`);

describe("errors", () => {
  it("api: every wrong field is named", async () => {
    const { stderr, code } = await wcs("api POST /users -f first_name= -f email=nope");
    expect(code).toBe(3);
    for (const field of ["first_name", "last_name", "email", "unit"]) expect(stderr).toContain(`${field} `);
    expect(stderr).not.toMatch(/more/);
  });

  describe("of a busy instance", () => {
    let url = "";
    const server = createServer((_, response) => {
      const error = { code: "too_many_requests", message: "There were too many attempts; try again later." };
      response.writeHead(429, { "content-type": "application/json", "retry-after": "700" });
      response.end(JSON.stringify({ error }));
    });
    beforeAll(async () => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => server.close());

    it("say when to try again", async () => {
      const line = ["auth", "login", "--url", url, "--username", "ada@example.com", "--password-stdin"];
      const { stderr, code } = await home().wcs(line, { stdin: "secret" });
      expect(code).toBe(8);
      expect(stderr).toMatch(/^hint: Try again in 12 minutes\.$/m);
    });
  });

  it("auth login: a wrong password leads to the reset", async () => {
    const line = ["auth", "login", "--username", "ada@example.com", "--password-stdin"];
    const { stderr, code } = await home().wcs(line, { stdin: "not the password" });
    expect(code).toBe(4);
    expect(stderr).toMatch(/^hint: .* wcs auth password request\.$/m);
  });
});

describe("commands on several things, or on none", () => {
  it.each(["users update 1", "units update 2", "units department update 2 1", "users membership set 1 1"])(
    "%s: there is nothing to change",
    async (line) => {
      const { stderr, stdout, code } = await wcs(line);
      expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
      expect(stderr).toMatch(/^error: (Nothing to change\.\nhint: See wcs .* --help for what can be changed\.|Missing )/);
    },
  );

  it("users get: prints the users that exist, then names the others", async () => {
    const { stdout: id } = await person("Bo").then(() => wcs("users get bo@example.com --query id"));
    const { stdout, stderr, code } = await wcs(`users get 1 99 ${id.trim()} 98 --fields name --no-header`);
    expect(stdout).toBe("Ada Lovelace\nBo Low\n");
    expect(stderr).toBe("error: There are no users 99, 98.\n");
    expect(code).toBe(6);
  });
});
