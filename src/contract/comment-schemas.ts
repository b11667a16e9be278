import { z } from "zod";
import { multiline, unixTime } from "./common-schemas.ts";
import { once } from "./operation.ts";
import { shortUser } from "./user-schemas.ts";

export const commentBody = () => multiline(10_000, 1).describe("Text of the comment, 1 to 10,000 characters");

export const comment = once(() =>
  z
    .object({
      id: z.int(),
      parent_id: z.int().nullable().describe("ID of the comment that it replies to"),
      body: z.string().describe("Empty if deleted"),
      deleted: z.boolean().describe("A deleted comment stays in the list while it has replies"),
      author: shortUser(),
      mentions: z.array(shortUser()),
      replies: z.int(),
      created_at: unixTime(),
      permissions: z.object({ delete: z.boolean() }),
    })
    .meta({ id: "Comment" }),
);
