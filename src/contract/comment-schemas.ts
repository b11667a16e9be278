import { z } from "zod";
import { component, multiline, unixTime } from "./common-schemas.ts";
import { shortUser } from "./user-schemas.ts";

export const commentBody = () => multiline(10_000, 1).describe("Text of the comment, 1 to 10,000 characters");

export const comment = component("Comment", () => ({
  id: z.int(),
  parent_id: z.int().nullable().describe("ID of the comment that it replies to"),
  body: z.string().describe("Empty if deleted"),
  deleted: z.boolean().describe("A deleted comment stays in the list while it has replies"),
  author: shortUser(),
  mentions: z.array(shortUser()),
  replies: z.int(),
  created_at: unixTime(),
  permissions: z.object({ delete: z.boolean() }),
}));
