import { idempotencyFlag } from "../../kit/build-command.ts";
import { dryRunFlag, type TopLevelCommand } from "../../kit/command-spec.ts";

export const api: TopLevelCommand = {
  description:
    "Sends the request with the login of the profile, also to a database. -f fields are sent in the query of a GET or\nDELETE, otherwise in the body, with the types that the operation expects. A dot opens an object: -f contact.phone=123.\n\nPrints the body of the response as JSON. With --query, -o, --all or --limit, a list is the array of its items, as in\nthe other commands.",
  args: [
    {
      name: "method",
      description: "HTTP method: GET, POST, PUT, PATCH or DELETE",
      completes: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    },
    { name: "path", description: "Path with or without the leading /api, optionally with a query" },
  ],
  flags: [
    {
      flags: "-f, --field <key=value>",
      description: "Set an input field; @file reads the value from a file, - from stdin; can be repeated",
      repeat: true,
    },
    // Not "input", which --no-input sets.
    { flags: "--input <file>", key: "body", description: "Read the body as JSON from a file, - for stdin" },
    { flags: "--all", description: "Fetch all pages of a list" },
    { flags: "--limit <n>", description: "Maximum number of items of a list, fetching pages as needed" },
    { flags: "-y, --yes", description: "Skip the confirmation of a DELETE" },
    idempotencyFlag,
    dryRunFlag,
  ],
  examples: [
    "wcs api GET /users -f limit=2",
    "wcs api GET /users --all --query '[?admin].email'",
    "wcs api PATCH /units/4 -f name=Sales -f contact.phone=123",
    "wcs api POST /users --input user.json",
    "wcs api DELETE /units/4 --yes",
  ],
  prints: true,
  watchable: true,
  run: async (context) => (await import("./send-request.ts")).request(context),
};
