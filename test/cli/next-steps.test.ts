import { expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();
const run = (line: string, seat = {}) => home().sit(line.split(" "), seat);
const idOf = async (...line: string[]) => (await home().sit([...line, "--query", "id"])).stdout.trim();

it("posts delete and webhooks delete take several names, and ask about each", async () => {
  const posts: string[] = [];
  for (const title of ["First", "Second"])
    posts.push(await idOf("posts", "create", "--content-type", "news", "--title", title, "--body", "x"));
  const gone = await home().sit(["posts", "delete", "First", "Second"], { answers: ["y", "y"] });
  expect([gone.code, gone.stderr.match(/^Deleted post \d+\.$/gm)]).toEqual([
    0,
    posts.map((id) => `Deleted post ${id}.`),
  ]);
  for (const name of ["one", "two"]) await idOf("webhooks", "create", "--name", name, "--uri", "https://example.com/");
  const removed = await run("webhooks delete one two --yes");
  expect([removed.code, removed.stderr.match(/^Deleted webhook/gm)?.length]).toEqual([0, 2]);
});
