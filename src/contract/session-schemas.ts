import { z } from "zod";
import { component, unixTime } from "./common-schemas.ts";

export const session = component("Session", () => ({
  content_type: z.literal("session"),
  id: z.int(),
  user_agent: z.string().nullable().describe("Program that signed in, as it named itself"),
  address: z.string().nullable().describe("Address of the sign-in; null for one on the database itself"),
  current: z.boolean().describe("True for the session of the token that sent this request"),
  created_at: unixTime(),
  last_used_at: unixTime().describe("Accurate to a minute"),
  expires_at: unixTime().describe("Time at which the newest token of the session expires"),
}));
