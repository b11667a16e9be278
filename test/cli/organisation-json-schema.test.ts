import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();

it("schema organisation describes the file, and exported files name it", async () => {
  const { code, stdout } = await home().wcs(["schema", "organisation"]);
  expect(code).toBe(0);
  const schema = JSON.parse(stdout);
  expect((await home().wcs(["schema", "organisation", "--query", "title"])).stdout).toBe('"Organisation of wcs"\n');
  expect(schema).toMatchObject({
    type: "object",
    additionalProperties: false,
    $schema: expect.stringContaining("json-schema"),
  });
  const yaml = (await home().wcs(["export"])).stdout;
  expect(yaml.split("\n")[0]).toBe("# yaml-language-server: $schema=./organisation.schema.json");
  const json = (await home().wcs(["export", "--format", "json"])).stdout;
  const file = JSON.parse(json);
  expect(file.$schema).toBe("./organisation.schema.json");
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(file)));
  for (const section of ["usertypes", "units", "users", "webhooks"] as const) {
    const known = Object.keys(schema.properties[section].items.properties);
    expect(known).toEqual(expect.arrayContaining(file[section].flatMap((entry: object) => Object.keys(entry))));
  }
  writeFileSync(home().path("acme.json"), json);
  expect(await home().wcs(["diff", home().path("acme.json"), "--exit-code"])).toMatchObject({ code: 0 });
});
