import type { Actor } from "../pipeline/actor.ts";
import { type Reader, readerOf } from "./audience.ts";

/** The ability to publish and edit events that are not personal. */
export const eventAbility = "calendar";

export const eventReader = (actor: Actor): Reader => readerOf(actor, eventAbility);
