import type { OwnLeaf } from "../tree.ts";

export const api: OwnLeaf = {
  summary: "Any operation by method and path",
  description:
    "Sends the request with the login of the profile, also to a database. -f fields go into the query of a GET or DELETE,\nelse into the body, as the operation takes them; a dot opens an object: -f contact.phone=123.",
  args: [
    { name: "method", completes: ["GET", "POST", "PATCH", "DELETE"] },
    { name: "path", description: "Below /api, with or without it; may have a query" },
  ],
  flags: [
    {
      flags: "-f, --field <key=value>",
      description: "A field of the input; @file and - read a long value",
      repeat: true,
    },
    { flags: "--input <file>", description: "The body as JSON; - is stdin", completes: "file" },
    { flags: "-n, --dry-run", description: "Check everything, change nothing" },
  ],
  examples: [
    "wcs api GET /users -f limit=2",
    "wcs api PATCH /units/4 -f name=Sales -f contact.phone=123",
    "wcs api POST /users --input user.json",
  ],
  prints: true,
  run: async (context) => (await import("../request.ts")).request(context),
};
