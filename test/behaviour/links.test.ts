import { expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { encode } from "../../src/http/codec.ts";
import type { ActorName } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { permissionTable, useScene } from "../support/permission-table.ts";

describeOnOneDatabase("links", (environment) => {
  const open = useScene(environment);

  it("each url and source in a response can be requested below the base URL", async () => {
    const scene = await open();
    const { instance, ids } = scene;
    const kinds = new Set<string>();
    const wrong: string[] = [];
    for (const name of ["administrator", "manager", "member", "outsider"] as const satisfies ActorName[]) {
      const headers = { authorization: `Bearer ${await instance.tokenOf(ids[name])}` };
      const get = (path: string) => fetch(instance.url + path, { headers });
      const links = new Set<string>();
      for (const op of await allOperations()) {
        if (op.method !== "GET" || op.bytes) continue;
        for (const [, , input] of permissionTable[op.name] ?? []) {
          const { path, query } = encode(op, { ...input(scene, ids[name]) });
          const response = await get(`/api${path}?${query}`);
          if (response.status === 200) collect(await response.json(), links);
          else await response.body?.cancel();
        }
      }
      for (const link of links) {
        kinds.add(link.split("/")[1]!);
        const response = await get(link);
        if (response.status !== 200) wrong.push(`${name} ${link} ${response.status}`);
        await response.body?.cancel();
      }
    }
    expect(wrong).toEqual([]);
    expect([...kinds].toSorted()).toEqual([
      "events",
      "files",
      "groups",
      "tokens",
      "units",
      "users",
      "usertypes",
      "webhooks",
    ]);
  });
});

/** Adds the relative links in a response to `links`. Videos elsewhere have a URL of their host. */
function collect(value: unknown, links: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isLink = ["url", "source", "stream"].includes(key) && typeof inner === "string";
    if (!isLink) collect(inner, links);
    else if (!inner.startsWith("https://")) links.add(inner);
  }
}
