import { type Actor, may } from "../pipeline/actor.ts";
import { type Reader, readerOf } from "./audience.ts";

/** The ability to publish and edit events that are not personal. */
export const eventAbility = "calendar";

export const eventReader = (actor: Actor): Reader => readerOf(actor, eventAbility);

interface EventAudience {
  readonly author_id: number;
  readonly personal: number;
  readonly owner_path: string | null;
}

/** Returns true for users with the ability in the owning unit; of a personal event, for its author only. */
export const mayEditEvent = (actor: Actor, event: EventAudience): boolean =>
  event.personal === 1 ? event.author_id === actor.id : may(actor, eventAbility, event.owner_path);
