// biome-ignore-all format: a table is read by its columns
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import type { World } from "./actors.ts";
import { images, upload } from "./attachments.ts";
import type { Line, Scene } from "./permission-table.ts";

/** The things that the lines about groups and files need. */
export interface GroupScene {
  /** Public, of the administrator alone. */
  readonly open: number;
  /** Private: of the administrator; the member is an administrator, the colleague a member of it. */
  readonly board: number;
  /** Files of an event for North and below, of a draft of the administrator, of a message between the member and the colleague. */
  readonly ofEvent: number;
  readonly ofDraft: number;
  readonly ofMessage: number;
  /** The images of the two groups. */
  readonly ofOpen: number;
  readonly ofBoard: number;
}

const picture = [upload("sails.png", images.png(2, 3))];

export async function makeGroups({ actors, units, ids }: World): Promise<GroupScene> {
  const { administrator, member } = actors;
  const open = await administrator.call(groups.create, { name: "Open" });
  const { id } = await administrator.call(groups.create, { name: "Board", privacy: "private" });
  await administrator.call(groups.memberAdd, { id, user: ids.member, role: "administrator" });
  await administrator.call(groups.memberAdd, { id, user: ids.colleague });
  const files = [upload("note.txt", "Note")];
  const times = { start: 1_800_000_000, end: 1_800_003_600 };
  const event = await administrator.call(events.create, { title: "Event", type: "chain", units: [units.north], files, ...times });
  const draft = await administrator.call(posts.create, { content_type: "news", title: "Draft", publish: { status: false }, files });
  const message = await member.call(conversations.create, { recipients: [ids.colleague], message: "See", files });
  const imageOf = async (group: number) => {
    await administrator.call(groups.imageSet, { id: group, files: picture });
    return (await administrator.call(groups.get, { id: group })).image!.id;
  };
  return {
    ofOpen: await imageOf(open.id),
    ofBoard: await imageOf(id),
    open: open.id,
    board: id,
    ofEvent: (await administrator.call(events.get, { id: event.id })).files[0]!.id,
    ofDraft: draft.files[0]!.id,
    ofMessage: message.files[0]!.id,
  };
}

const open = ({ groups: { open } }: Scene) => ({ id: open });
const board = ({ groups: { board } }: Scene) => ({ id: board });
const none = () => ({ id: 987654 });
const colleague = ({ ids }: Scene) => ({ user: ids.colleague });

const forReaders: Line[] = [
  ["a public one", "            yes   yes   yes   yes   401   401", open],
  ["a private one", "           yes   404   yes   404   401   401", board],
  ["none", "                    404   404   404   404   401   401", none],
];
const forAdministrators = (more: object = {}): Line[] => [
  ["a public one", "            yes   403   403   403   401   401", (scene) => ({ ...open(scene), ...more })],
  ["a private one", "           yes   404   yes   404   401   401", (scene) => ({ ...board(scene), ...more })],
  ["none", "                    404   404   404   404   401   401", () => ({ ...none(), ...more })],
];

export const groupLines: Record<string, readonly Line[]> = {
  //                             admin manag membr outsd deact attck
  "groups.list": [["", "        yes   yes   yes   yes   401   401", () => ({})]],
  "groups.get": forReaders,
  "groups.members": forReaders,
  "groups.create": [["", "      yes   403   403   403   401   401", () => ({ name: "New" })]],
  "groups.update": forAdministrators({ name: "New" }),
  "groups.delete": forAdministrators(),
  "groups.imageSet": [
    ...forAdministrators({ files: picture }),
    ["no image, a public one", "  422   403   403   403   401   401", (scene) => ({ ...open(scene), files: [upload("note.txt", "Note")] })],
  ],
  "groups.imageDelete": forAdministrators(),
  "groups.memberAdd": [
    ["oneself to a public one", " 409   yes   yes   yes   401   401", open],
    ["as administrator", "        409   403   403   403   401   401", (scene) => ({ ...open(scene), role: "administrator" })],
    ["somebody to a public one", "yes   403   403   403   401   401", (scene) => ({ ...open(scene), ...colleague(scene) })],
    ["oneself to a private one", "409   404   409   404   401   401", board],
    ["somebody to a private one", "yes   404   yes   404   401   401", (scene) => ({ ...board(scene), user: scene.ids.outsider })],
  ],
  "groups.memberSet": [
    ["of a private one", "        yes   404   yes   404   401   401", (scene) => ({ ...board(scene), ...colleague(scene), role: "administrator" })],
    ["of a public one", "         404   403   403   403   401   401", (scene) => ({ ...open(scene), ...colleague(scene), role: "administrator" })],
  ],
  "groups.memberRemove": [
    ["somebody", "                yes   404   yes   404   401   401", (scene) => ({ ...board(scene), ...colleague(scene) })],
    ["oneself", "                 yes   404   yes   404   401   401", (scene, me) => ({ ...board(scene), user: me })],
    ["oneself, who is not in it", "yes   404   404   404   401   401", (scene, me) => ({ ...open(scene), user: me })],
  ],

  "counters.list": [["", "      yes   yes   yes   yes   401   401", () => ({})]],
  "counters.reset": [["", "     yes   yes   yes   yes   401   401", () => ({ type: "news" })]],

  "files.get": [
    ["of an event for North", "   yes   yes   yes   404   401   401", ({ groups }) => ({ id: groups.ofEvent })],
    ["of a draft", "              yes   404   404   404   401   401", ({ groups }) => ({ id: groups.ofDraft })],
    ["of a message", "            404   404   yes   404   401   401", ({ groups }) => ({ id: groups.ofMessage })],
    ["of a public group", "       yes   yes   yes   yes   401   401", ({ groups }) => ({ id: groups.ofOpen })],
    ["of a private group", "      yes   404   yes   404   401   401", ({ groups }) => ({ id: groups.ofBoard })],
    ["a video elsewhere", "       404   404   404   404   401   401", ({ events }) => ({ id: events.file })],
    ["none", "                    404   404   404   404   401   401", none],
  ],
};
