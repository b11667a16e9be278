// biome-ignore-all format: a table is read by its columns
import { events } from "../../src/contract/events.ts";
import type { World } from "./actors.ts";
import type { Line, Scene } from "./permission-table.ts";

/** The things that the lines about events need. */
export interface EventScene {
  /** Owned by the administrator, for North and all below, with a file. Another one was deleted. */
  readonly chain: number;
  readonly file: number;
  readonly deleted: number;
  /** Owned by the administrator, for Harbour alone. */
  readonly unit: number;
  /** Owned by the administrator, for managers in North. */
  readonly typed: number;
  /** Owned by the member, shared with the outsider. */
  readonly personal: number;
}

export async function addEvents({ actors, units, types, ids }: World): Promise<EventScene> {
  const { administrator, member } = actors;
  const north = { ...write, type: "chain" as const, units: [units.north] };
  const chain = await administrator.call(events.create, { ...north, files: film });
  const deleted = await administrator.call(events.create, north);
  await administrator.call(events.delete, { id: deleted.id });
  const unit = await administrator.call(events.create, { ...write, type: "unit", units: [units.harbour] });
  const typed = await administrator.call(events.create, { ...north, userTypes: [types.manager] });
  const personal = await member.call(events.create, { ...write, type: "user", shares: [ids.outsider] });
  const { files } = await administrator.call(events.get, { id: chain.id });
  return { chain: chain.id, file: files[0]!.id, deleted: deleted.id, unit: unit.id, typed: typed.id, personal: personal.id };
}

type Input = (scene: Scene) => object;
const write = { title: "New", start: 1_800_000_000, end: 1_800_003_600 };
const film = [{ type: "youtube" as const, name: "Film", data: "https://www.youtube.com/watch?v=abcdefghijk" }];
const chain: Input = ({ events }) => ({ id: events.chain });
const unit: Input = ({ events }) => ({ id: events.unit });
const typed: Input = ({ events }) => ({ id: events.typed });
const personal: Input = ({ events }) => ({ id: events.personal });
const deleted: Input = ({ events }) => ({ id: events.deleted });
const none = () => ({ id: 987654 });

/** Readers do it to what they may read. */
const forReaders = (more: object = {}): Line[] => [
  ["for North and below", "        yes   yes   yes   404   401   401", (scene) => ({ ...chain(scene), ...more })],
  ["for Harbour alone", "          yes   404   yes   404   401   401", (scene) => ({ ...unit(scene), ...more })],
  ["for managers in North", "      yes   yes   404   404   401   401", (scene) => ({ ...typed(scene), ...more })],
  ["of the member, shared", "      404   404   yes   yes   401   401", (scene) => ({ ...personal(scene), ...more })],
  ["one that was deleted", "       410   410   410   404   401   401", (scene) => ({ ...deleted(scene), ...more })],
  ["none", "                       404   404   404   404   401   401", () => ({ ...none(), ...more })],
];

/** Authors do it, and editors: here the administrator alone, since the manager has not `calendar`. */
const forEditors = (more: object = {}): Line[] => [
  ["for North and below", "        yes   403   403   404   401   401", (scene) => ({ ...chain(scene), ...more })],
  ["for Harbour alone", "          yes   404   403   404   401   401", (scene) => ({ ...unit(scene), ...more })],
  ["of the member, shared", "      404   404   yes   403   401   401", (scene) => ({ ...personal(scene), ...more })],
  ["one that was deleted", "       410   410   410   404   401   401", (scene) => ({ ...deleted(scene), ...more })],
  ["none", "                       404   404   404   404   401   401", () => ({ ...none(), ...more })],
];

export const eventLines: Record<string, readonly Line[]> = {
  //                                admin manag membr outsd deact attck
  "events.list": [["", "           yes   yes   yes   yes   401   401", () => ({})]],
  "events.upcoming": [["", "       yes   yes   yes   yes   401   401", () => ({})]],
  "events.get": forReaders(),
  "events.seen": forReaders(),
  "events.participants": forReaders(),
  "events.accept": forReaders(),
  "events.withdraw": forReaders(),
  "events.create": [
    ["for oneself", "              yes   yes   yes   yes   401   401", () => ({ ...write, type: "user" })],
    ["for one's unit", "           yes   403   403   403   401   401", () => ({ ...write, type: "unit" })],
    ["for the unit of another", "  yes   403   403   403   401   401", ({ units }) => ({ ...write, type: "unit", units: [units.south] })],
    ["for one's unit and below", " yes   403   403   403   401   401", () => ({ ...write, type: "chain" })],
    ["for units", "                yes   403   403   403   401   401", ({ units }) => ({ ...write, type: "chain", units: [units.harbour, units.yard] })],
    ["for no unit that there is", "422   422   422   422   401   401", () => ({ ...write, type: "chain", units: [987654] })],
  ],
  "events.update": [
    ...forEditors({ title: "Changed" }),
    ["one's own to all below", "   404   404   403   403   401   401", (scene) => ({ ...personal(scene), type: "chain" })],
    ["a unit's to oneself", "      yes   404   403   404   401   401", (scene) => ({ ...unit(scene), type: "user" })],
  ],
  "events.delete": forEditors(),
  "events.filesAdd": forEditors({ files: film }),
  "events.filesAddTo": forEditors({ files: film }),
  "events.fileDelete": [
    ["of the event", "             yes   403   403   404   401   401", (scene) => ({ ...chain(scene), file: scene.events.file })],
    ["of another event", "         404   404   403   404   401   401", (scene) => ({ ...unit(scene), file: scene.events.file })],
    ["to one's own event", "       404   404   404   403   401   401", (scene) => ({ ...personal(scene), file: scene.events.file })],
  ],
};
