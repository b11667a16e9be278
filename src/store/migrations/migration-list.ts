import type { Migration } from "kysely/migration";
import * as ground from "./0001-ground.ts";
import * as webhooks from "./0002-webhooks.ts";
import * as content from "./0003-content.ts";
import * as conversations from "./0004-conversations.ts";
import * as eventPlaces from "./0005-event-places.ts";
import * as audit from "./0006-audit.ts";
import * as messageStretches from "./0007-message-stretches.ts";
import * as secrets from "./0009-secrets.ts";
import * as signInLimits from "./0010-sign-in-limits.ts";

/** Every migration by name, oldest first. Names sort in the order in which they run. */
export const migrations: Record<string, Migration> = {
  "0001-ground": ground,
  "0002-webhooks": webhooks,
  "0003-content": content,
  "0004-conversations": conversations,
  "0005-event-places": eventPlaces,
  "0006-audit": audit,
  "0007-message-stretches": messageStretches,
  "0009-secrets": secrets,
  "0010-sign-in-limits": signInLimits,
};
