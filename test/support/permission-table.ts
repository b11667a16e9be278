// biome-ignore-all format: a table is read by its columns
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { password, useWorld, type World } from "./actors.ts";
import { images, upload } from "./attachments.ts";
import type { Environment } from "./instance.ts";
import { mailedToken } from "./password-mail.ts";
import { addEvents, type EventScene, eventLines } from "./permission-lines-events.ts";
import { type GroupScene, groupLines, makeGroups } from "./permission-lines-groups.ts";
import { type PostScene, postLines, writePosts } from "./permission-lines-posts.ts";
import { makeTokens, type TokenScene, tokenLines } from "./permission-lines-tokens.ts";

/**
 * The world with what only the table needs: a user of South, a member of Harbour who is an editor in South, the unit Press
 * in North with an editor, a webhook, a token to reset the member's password;
 * a group of the member, its administrator, the colleague and the manager, with a message of the member and of the manager.
 */
export interface Scene extends World {
  readonly southerner: number;
  readonly twofold: number;
  readonly press: number;
  readonly webhook: number;
  readonly resetToken: string;
  readonly posts: PostScene;
  readonly events: EventScene;
  readonly groups: GroupScene;
  readonly tokens: TokenScene;
  readonly talk: { readonly group: number; readonly ofMember: number; readonly ofManager: number };
}

export function useScene(environment: Environment): () => Promise<Scene> {
  const world = useWorld(environment);
  let scene: Promise<Scene> | undefined;
  return () => {
    scene ??= setUp(world());
    return scene;
  };
}

async function setUp(world: World): Promise<Scene> {
  const { administrator } = world.actors;
  const southerner = (await world.addUser({ unit: world.units.south })).id;
  const reporter = { name: "Reporter", abilities: { news: true } };
  const userTypes = [(await administrator.call(usertypes.create, reporter)).id];
  const twofold = (await world.addUser({ reference: "twofold" })).id;
  await administrator.call(users.membershipAdd, { user: twofold, unit: world.units.south, userTypes });
  const press = (await world.addUnit({ name: "Press" })).id;
  await world.addUser({ unit: press, userTypes });
  const webhook = await administrator.call(webhooks.create, { name: "Hook", uri: "https://hook.example/" });
  await world.stranger.call(auth.passwordRequest, { email: "member@example.com" });
  const resetToken = await mailedToken(world.instance, "member@example.com");
  const posts = await writePosts(world);
  const events = await addEvents(world);
  const groups = await makeGroups(world);
  const tokens = await makeTokens(world);
  const talk = await startGroup(world);
  return { ...world, southerner, twofold, press, webhook: webhook.data.id, resetToken, posts, events, groups, tokens, talk };
}

async function startGroup({ actors, ids }: World): Promise<Scene["talk"]> {
  const first = { recipients: [ids.colleague, ids.manager], message: "First" };
  const { conversationId: group, id: ofMember } = await actors.member.call(conversations.create, first);
  const { id: ofManager } = await actors.manager.call(conversations.send, { id: group, message: "Second" });
  return { group, ofMember, ofManager };
}

/** The input of an operation and the outcome for each actor; `me` is the ID of the actor. */
export type Line = readonly [about: string, outcomes: string, input: (scene: Scene, me: number) => object];

const nothing = () => ({});
const picture = [upload("me.png", images.png(2, 3))];
const text = [upload("note.txt", "Note")];
const one = ({ ids }: Scene) => ({ id: ids.colleague });
const elsewhere = ({ southerner }: Scene) => ({ id: southerner });
const boss = ({ ids }: Scene) => ({ id: ids.boss });
const editorElsewhere = ({ twofold }: Scene) => ({ id: twofold });
const gone = () => ({ id: 987654 });
const person = { first_name: "New", last_name: "Person", email: "new.person@example.com" };
const machine = { first_name: "New", last_name: "Machine", service: true };
const row = { ...person, reference: "new person" };
const group = ({ talk }: Scene) => ({ id: talk.group });
const message = ({ talk }: Scene) => ({ id: talk.group, messageId: talk.ofMember });
const hook = ({ webhook }: Scene) => ({ id: webhook });

/**
 * Tells who may do what: a line for each case of each operation. An outcome is `yes` or the status of the
 * refusal, of the administrator, the manager of North, the member in North, the outsider from South, the deactivated user,
 * and the attacker, in this order. Cases that do not depend on what is asked for have one line.
 */
export const permissionTable: Record<string, readonly Line[]> = {
  //                              admin manag membr outsd deact attck
  "auth.authenticate": [["", "     yes   yes   yes   yes   yes   yes", () => ({ username: "member@example.com", password })]],
  "auth.renew": [["", "            yes   yes   yes   yes   401   401", nothing]],
  "auth.twoFactorStatus": [["", "  yes   yes   yes   yes   401   401", nothing]],
  "auth.twoFactorBegin": [["with the member's password", " 409   409   yes   409   401   401", () => ({ password })]],
  "auth.twoFactorConfirm": [["before the beginning", "     409   409   409   409   401   401", () => ({ code: "123456" })]],
  "auth.twoFactorRecoveryCodes": [["without two factors", "409   409   409   409   401   401", () => ({ password })]],
  "auth.twoFactorDisable": [["without a proof", "          422   422   422   422   401   401", nothing]],
  "auth.passwordRequest": [["", "  yes   yes   yes   yes   yes   yes", () => ({ email: "colleague@example.com" })]],
  "auth.passwordReset": [
    ["with the token", "           yes   yes   yes   yes   yes   yes", ({ resetToken }) => reset(resetToken)],
    ["with another token", "       422   422   422   422   422   422", () => reset("guess")],
  ],

  "users.list": [["", "            yes   yes   yes   yes   401   401", nothing]],
  "users.get": [
    ["in North", "                 yes   yes   yes   yes   401   401", one],
    ["in South", "                 yes   yes   yes   yes   401   401", elsewhere],
    ["nobody", "                   404   404   404   404   401   401", gone],
  ],
  "users.current": [["", "         yes   yes   yes   yes   401   401", nothing]],
  "users.reference": [["", "       yes   yes   yes   yes   401   401", () => ({ reference: "colleague" })]],
  "users.search": [["", "          yes   yes   yes   yes   401   401", () => ({ q: "colleague" })]],
  "users.collection": [["", "      yes   yes   yes   yes   401   401", ({ ids }) => ({ ids: [ids.colleague, ids.outsider] })]],
  "users.birthdays": [["", "       yes   yes   yes   yes   401   401", nothing]],
  "users.create": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units }) => ({ ...person, unit: units.harbour })],
    ["in South", "                 yes   403   403   403   401   401", ({ units }) => ({ ...person, unit: units.south })],
    ["at the root", "              yes   403   403   403   401   401", ({ units }) => ({ ...person, unit: units.root })],
    ["an administrator", "         yes   403   403   403   401   401", ({ units }) => ({ ...person, unit: units.harbour, admin: true })],
    ["with the manager's type", "  yes   yes   403   403   401   401", ({ units, types }) => ({ ...person, unit: units.harbour, userTypes: [types.manager] })],
    ["with more abilities", "      yes   403   403   403   401   401", ({ units, types }) => ({ ...person, unit: units.harbour, userTypes: [types.editor] })],
    ["in no unit", "               422   422   422   422   401   401", () => ({ ...person, unit: 987654 })],
    ["a service account", "        yes   yes   403   403   401   401", ({ units }) => ({ ...machine, unit: units.harbour })],
    ["one in South", "             yes   403   403   403   401   401", ({ units }) => ({ ...machine, unit: units.south })],
  ],
  "users.update": [
    ["in North", "                 yes   yes   403   403   401   401", (scene) => ({ ...one(scene), title: "Changed" })],
    ["in South", "                 yes   403   403   403   401   401", (scene) => ({ ...elsewhere(scene), title: "Changed" })],
    ["an administrator", "         yes   403   403   403   401   401", (scene) => ({ ...boss(scene), phone: "1" })],
    ["an editor elsewhere", "      yes   yes   403   403   401   401", (scene) => ({ ...editorElsewhere(scene), title: "Changed" })],
    ["such an editor's e-mail", "  yes   403   403   403   401   401", (scene) => ({ ...editorElsewhere(scene), email: "new@example.com" })],
    ["such an editor's reference","yes   403   403   403   401   401", (scene) => ({ ...editorElsewhere(scene), reference: "new" })],
    ["an e-mail in North", "       yes   yes   403   403   401   401", (scene) => ({ ...one(scene), email: "new@example.com" })],
    ["to administrator", "         yes   403   403   403   401   401", (scene) => ({ ...one(scene), admin: true })],
    ["one's own phone", "          yes   yes   yes   yes   401   401", (_, me) => ({ id: me, phone: "1" })],
    ["one's own name", "           yes   yes   403   403   401   401", (_, me) => ({ id: me, first_name: "Me" })],
    ["oneself to administrator", " yes   403   403   403   401   401", (_, me) => ({ id: me, admin: true })],
    ["nobody", "                   404   404   404   404   401   401", () => ({ ...gone(), title: "Changed" })],
  ],
  "users.delete": [
    ["in North", "                 yes   yes   403   403   401   401", one],
    ["in South", "                 yes   403   403   403   401   401", elsewhere],
    ["an administrator", "         yes   403   403   403   401   401", boss],
    ["an editor elsewhere", "      yes   403   403   403   401   401", editorElsewhere],
    ["oneself", "                  yes   yes   403   403   401   401", (_, me) => ({ id: me })],
  ],
  "users.deactivate": [
    ["in North", "                 yes   yes   403   403   401   401", one],
    ["in South", "                 yes   403   403   403   401   401", elsewhere],
    ["an administrator", "         yes   403   403   403   401   401", boss],
    ["an editor elsewhere", "      yes   403   403   403   401   401", editorElsewhere],
  ],
  "users.reactivate": [
    ["an editor elsewhere", "      yes   403   403   403   401   401", editorElsewhere],
    ["in North", "                 yes   yes   403   403   401   401", ({ ids }) => ({ id: ids.deactivated })],
    ["in South", "                 yes   403   403   403   401   401", elsewhere],
  ],
  "users.welcome": [
    ["in North", "                 yes   yes   403   403   401   401", ({ ids }) => ({ users: [ids.colleague, ids.member] })],
    ["one in South", "             yes   403   403   403   401   401", ({ ids, southerner }) => ({ users: [ids.colleague, southerner] })],
    ["an administrator", "         yes   403   403   403   401   401", ({ ids }) => ({ users: [ids.colleague, ids.boss] })],
    ["an editor elsewhere", "      yes   403   403   403   401   401", ({ ids, twofold }) => ({ users: [ids.colleague, twofold] })],
  ],
  "users.password": [
    ["in North", "                 yes   yes   403   403   401   401", (scene) => ({ ...one(scene), password: "another password" })],
    ["in South", "                 yes   403   403   403   401   401", (scene) => ({ ...elsewhere(scene), password: "another password" })],
    ["an administrator's", "       yes   403   403   403   401   401", (scene) => ({ ...boss(scene), password: "another password" })],
    ["an editor's elsewhere", "    yes   403   403   403   401   401", (scene) => ({ ...editorElsewhere(scene), password: "another password" })],
    ["the first of one's own", "   yes   yes   422   yes   401   401", (_, me) => ({ id: me, password: "another password" })],
    ["the member's", "             yes   yes   yes   403   401   401", ({ ids }) => ({ id: ids.member, password: "another password", current: password })],
  ],
  "users.twoFactorReset": [
    ["in North", "                 yes   yes   403   403   401   401", one],
    ["in South", "                 yes   403   403   403   401   401", elsewhere],
    ["an administrator's", "       yes   403   403   403   401   401", boss],
    ["an editor's elsewhere", "    yes   403   403   403   401   401", editorElsewhere],
    ["one's own", "                403   403   403   403   401   401", (_, me) => ({ id: me })],
    ["nobody's", "                 404   404   404   404   401   401", gone],
  ],
  "users.exportData": [
    ["of one in North", "          yes   403   403   403   401   401", one],
    ["of an administrator", "      yes   403   403   403   401   401", boss],
    ["one's own", "                yes   yes   yes   yes   401   401", (_, me) => ({ id: me })],
    ["nobody's", "                 404   403   403   403   401   401", gone],
  ],
  "users.policy": [["", "          yes   yes   yes   yes   401   401", nothing]],
  "users.avatarSet": [
    ["in North", "                 yes   yes   403   403   401   401", (scene) => ({ ...one(scene), files: picture })],
    ["in South", "                 yes   403   403   403   401   401", (scene) => ({ ...elsewhere(scene), files: picture })],
    ["an administrator's", "       yes   403   403   403   401   401", (scene) => ({ ...boss(scene), files: picture })],
    ["one's own", "                yes   yes   yes   yes   401   401", (_, me) => ({ id: me, files: picture })],
    ["no image, in North", "       422   422   403   403   401   401", (scene) => ({ ...one(scene), files: text })],
    ["nobody's", "                 404   404   404   404   401   401", () => ({ ...gone(), files: picture })],
  ],
  "users.avatarDelete": [
    ["in North", "                 yes   yes   403   403   401   401", one],
    ["in South", "                 yes   403   403   403   401   401", elsewhere],
    ["an administrator's", "       yes   403   403   403   401   401", boss],
    ["one's own", "                yes   yes   yes   yes   401   401", (_, me) => ({ id: me })],
    ["nobody's", "                 404   404   404   404   401   401", gone],
  ],
  "users.memberships": [["", "     yes   yes   yes   yes   401   401", ({ ids }) => ({ user: ids.colleague })]],
  "users.membershipAdd": [
    ["in North", "                 yes   yes   403   403   401   401", ({ ids, units }) => ({ user: ids.colleague, unit: units.yard })],
    ["to South", "                 yes   403   403   403   401   401", ({ ids, units }) => ({ user: ids.colleague, unit: units.south })],
    ["of a member of South", "     yes   yes   403   403   401   401", ({ southerner, units }) => ({ user: southerner, unit: units.yard })],
    ["one's own", "                yes   403   403   403   401   401", ({ units }, me) => ({ user: me, unit: units.yard })],
    ["of an administrator", "      yes   403   403   403   401   401", ({ ids, units }) => ({ user: ids.boss, unit: units.yard })],
    ["with more abilities", "      yes   403   403   403   401   401", ({ ids, units, types }) => ({ user: ids.colleague, unit: units.yard, userTypes: [types.editor] })],
  ],
  "users.membershipSet": [
    ["of an editor elsewhere", "   yes   yes   403   403   401   401", ({ twofold, units }) => ({ user: twofold, from: units.harbour, unit: units.yard })],
    ["the manager's reader type", "yes   403   403   403   401   401", ({ ids, units, types }) => ({ user: ids.manager, from: units.north, userTypes: [types.manager, types.employee] })],
    ["in North", "                 yes   yes   403   403   401   401", ({ ids, units, types }) => ({ user: ids.colleague, from: units.harbour, userTypes: [types.employee] })],
    ["to South", "                 yes   403   403   403   401   401", ({ ids, units }) => ({ user: ids.colleague, from: units.harbour, unit: units.south })],
    ["from South", "               yes   403   403   403   401   401", ({ southerner, units }) => ({ user: southerner, from: units.south, unit: units.yard })],
    ["with more abilities", "      yes   403   403   403   401   401", ({ ids, units, types }) => ({ user: ids.colleague, from: units.harbour, userTypes: [types.editor] })],
  ],
  "users.membershipRemove": [
    ["of an editor elsewhere", "   yes   yes   403   403   401   401", ({ twofold, units }) => ({ user: twofold, unit: units.harbour })],
    ["elsewhere", "                yes   403   403   403   401   401", ({ twofold, units }) => ({ user: twofold, unit: units.south })],
    ["the last", "                 409   409   403   403   401   401", ({ ids, units }) => ({ user: ids.colleague, unit: units.harbour })],
    ["in South", "                 409   403   403   403   401   401", ({ southerner, units }) => ({ user: southerner, unit: units.south })],
    ["none", "                     404   404   403   403   401   401", ({ ids, units }) => ({ user: ids.colleague, unit: units.yard })],
  ],
  "users.import": [["", "          yes   yes   403   403   401   401", () => ({ rows: [{ ...row, unit: "harbour" }] })]],
  "users.deactivateMissing": [
    ["of the Yard", "              yes   yes   403   403   401   401", ({ units }) => ({ unit: units.yard, present: [] })],
    ["of North", "                 yes   403   403   403   401   401", ({ units }) => ({ unit: units.north, present: [], max_removals: "100%" })],
    ["of South", "                 yes   403   403   403   401   401", ({ units }) => ({ unit: units.south, present: [], max_removals: "100%" })],
    ["too many, of North", "       409   403   403   403   401   401", ({ units }) => ({ unit: units.north, present: [] })],
    ["of everywhere", "            yes   403   403   403   401   401", () => ({ provider: "local", present: [], max_removals: "100%" })],
  ],

  "units.list": [["", "            yes   yes   yes   yes   401   401", nothing]],
  "units.get": [["", "             yes   yes   yes   yes   401   401", ({ units }) => ({ id: units.south })]],
  "units.reference": [["", "       yes   yes   yes   yes   401   401", () => ({ reference: "south" })]],
  "units.tree": [["", "            yes   yes   yes   yes   401   401", nothing]],
  "units.children": [["", "        yes   yes   yes   yes   401   401", ({ units }) => ({ id: units.root })]],
  "units.create": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units }) => ({ name: "New", parent: units.harbour })],
    ["in South", "                 yes   403   403   403   401   401", ({ units }) => ({ name: "New", parent: units.south })],
    ["below the root", "           yes   403   403   403   401   401", ({ units }) => ({ name: "New", parent: units.root })],
  ],
  "units.update": [
    ["North", "                    yes   yes   403   403   401   401", ({ units }) => ({ id: units.north, name: "New" })],
    ["below North", "              yes   yes   403   403   401   401", ({ units }) => ({ id: units.harbour, name: "New" })],
    ["South", "                    yes   403   403   403   401   401", ({ units }) => ({ id: units.south, name: "New" })],
    ["the root", "                 yes   403   403   403   401   401", ({ units }) => ({ id: units.root, name: "New" })],
    ["none", "                     404   404   404   404   401   401", gone],
  ],
  "units.move": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units }) => ({ id: units.harbour, parent: units.yard })],
    ["North to South", "           yes   403   403   403   401   401", ({ units }) => ({ id: units.harbour, parent: units.south })],
    ["South to North", "           yes   403   403   403   401   401", ({ units }) => ({ id: units.south, parent: units.yard })],
    ["below an editor", "          yes   403   403   403   401   401", ({ units, press }) => ({ id: units.yard, parent: press })],
  ],
  "units.delete": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units }) => ({ id: units.yard })],
    ["South", "                    409   403   403   403   401   401", ({ units }) => ({ id: units.south })],
    ["transfer in North", "        yes   yes   403   403   401   401", ({ units }) => ({ id: units.harbour, transfer: units.yard })],
    ["transfer to South", "        yes   403   403   403   401   401", ({ units }) => ({ id: units.harbour, transfer: units.south })],
    ["transfer of an editor", "    yes   403   403   403   401   401", ({ units, press }) => ({ id: press, transfer: units.yard })],
    ["transfer to an editor", "    yes   403   403   403   401   401", ({ units, press }) => ({ id: units.yard, transfer: press })],
    ["transfer from South", "      yes   403   403   403   401   401", ({ units }) => ({ id: units.south, transfer: units.yard })],
  ],
  "units.imageSet": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units }) => ({ id: units.harbour, files: picture })],
    ["in South", "                 yes   403   403   403   401   401", ({ units }) => ({ id: units.south, files: picture })],
    ["no image, in North", "       422   422   403   403   401   401", ({ units }) => ({ id: units.harbour, files: text })],
    ["none", "                     404   404   404   404   401   401", () => ({ ...gone(), files: picture })],
  ],
  "units.imageDelete": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units }) => ({ id: units.harbour })],
    ["in South", "                 yes   403   403   403   401   401", ({ units }) => ({ id: units.south })],
    ["none", "                     404   404   404   404   401   401", gone],
  ],
  "units.departmentAdd": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units }) => ({ id: units.harbour, name: "New" })],
    ["in South", "                 yes   403   403   403   401   401", ({ units }) => ({ id: units.south, name: "New" })],
  ],
  "units.departmentUpdate": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units, cranes }) => ({ id: units.harbour, department: cranes, name: "New" })],
    ["by another unit", "          404   403   403   403   401   401", ({ units, cranes }) => ({ id: units.south, department: cranes, name: "New" })],
  ],
  "units.departmentRemove": [
    ["in North", "                 yes   yes   403   403   401   401", ({ units, cranes }) => ({ id: units.harbour, department: cranes })],
    ["by another unit", "          404   403   403   403   401   401", ({ units, cranes }) => ({ id: units.south, department: cranes })],
  ],
  "units.import": [["", "          yes   yes   403   403   401   401", () => ({ rows: [{ reference: "new", name: "New", parent: "yard" }] })]],

  "usertypes.list": [["", "        yes   yes   yes   yes   401   401", nothing]],
  "usertypes.get": [["", "         yes   yes   yes   yes   401   401", ({ types }) => ({ id: types.editor })]],
  "usertypes.reference": [["", "   yes   yes   yes   yes   401   401", () => ({ reference: "editor" })]],
  "usertypes.create": [
    ["with own abilities", "       yes   yes   403   403   401   401", () => ({ name: "New", abilities: { user: true, units: true } })],
    ["with more abilities", "      yes   403   403   403   401   401", () => ({ name: "New", abilities: { news: true } })],
  ],
  "usertypes.update": [
    ["the name", "                 yes   yes   403   403   401   401", ({ types }) => ({ id: types.employee, name: "New" })],
    ["own abilities", "            yes   yes   403   403   401   401", ({ types }) => ({ id: types.employee, abilities: { units: true } })],
    ["more abilities", "           yes   403   403   403   401   401", ({ types }) => ({ id: types.employee, abilities: { news: true } })],
    ["others' abilities", "        yes   403   403   403   401   401", ({ types }) => ({ id: types.editor, abilities: { news: false } })],
    ["a name of others' ones", "   yes   403   403   403   401   401", ({ types }) => ({ id: types.editor, name: "New" })],
    ["a reference of others'", "   yes   403   403   403   401   401", ({ types }) => ({ id: types.editor, reference: "new" })],
  ],
  "usertypes.delete": [
    ["others' abilities", "        yes   403   403   403   401   401", ({ types }) => ({ id: types.editor })],
    ["held", "                     409   409   403   403   401   401", ({ types }) => ({ id: types.employee })],
  ],

  "conversations.list": [["", "    yes   yes   yes   yes   401   401", nothing]],
  "conversations.create": [["", "  yes   yes   yes   yes   401   401", ({ ids }) => ({ recipients: [ids.colleague, ids.boss], message: "Hi" })]],
  "conversations.get": [
    ["of the member", "            404   yes   yes   404   401   401", group],
    ["none", "                     404   404   404   404   401   401", gone],
  ],
  "conversations.update": [
    ["the title", "                404   403   yes   404   401   401", (scene) => ({ ...group(scene), title: "New" })],
    ["the mute rule", "            404   yes   yes   404   401   401", (scene) => ({ ...group(scene), mute_rule: 1 })],
  ],
  "conversations.delete": [["", "  404   yes   yes   404   401   401", group]],
  "conversations.seen": [["", "    404   yes   yes   404   401   401", group]],
  "conversations.archive": [["", " 404   yes   yes   404   401   401", group]],
  "conversations.unarchive": [["", "404  yes   yes   404   401   401", group]],
  "conversations.mute": [["", "    404   yes   yes   404   401   401", (scene) => ({ ...group(scene), mute_rule: 1 })]],
  "conversations.unmute": [["", "  404   yes   yes   404   401   401", group]],
  "conversations.participantAdd": [
    ["somebody", "                 404   403   yes   404   401   401", (scene) => ({ ...group(scene), users: [scene.ids.boss] })],
    ["oneself", "                  404   403   yes   404   401   401", (scene, me) => ({ ...group(scene), users: [me] })],
  ],
  "conversations.participantUpdate": [
    ["", "                         404   403   yes   404   401   401", (scene) => ({ ...group(scene), user: scene.ids.colleague, role: "administrator" })],
  ],
  "conversations.participantRemove": [
    ["somebody", "                 404   403   yes   404   401   401", (scene) => ({ ...group(scene), user: scene.ids.colleague })],
    ["oneself", "                  404   yes   yes   404   401   401", (scene, me) => ({ ...group(scene), user: me })],
  ],
  "conversations.messages": [["", "404   yes   yes   404   401   401", group]],
  "conversations.follow": [["", "  404   yes   yes   404   401   401", (scene) => ({ ...group(scene), after: 0 })]],
  "conversations.send": [["", "    404   yes   yes   404   401   401", (scene) => ({ ...group(scene), message: "Third" })]],
  "conversations.message": [
    ["of the member", "            404   yes   yes   404   401   401", message],
    ["none", "                     404   404   404   404   401   401", (scene) => ({ ...group(scene), messageId: 987654 })],
  ],
  "conversations.messageUpdate": [
    ["of the member", "            404   403   yes   404   401   401", (scene) => ({ ...message(scene), message: "New" })],
    ["of the manager", "           404   yes   403   404   401   401", ({ talk }) => ({ id: talk.group, messageId: talk.ofManager, message: "New" })],
  ],
  "conversations.messageDelete": [
    ["of the member", "            404   403   yes   404   401   401", message],
    ["of the manager", "           404   yes   yes   404   401   401", ({ talk }) => ({ id: talk.group, messageId: talk.ofManager })],
  ],
  "conversations.react": [["", "   404   yes   yes   404   401   401", (scene) => ({ ...message(scene), emoji: "👍" })]],
  "conversations.unreact": [["", " 404   404   404   404   401   401", (scene) => ({ ...message(scene), emoji: "👍" })]],

  "names.find": [["", "            yes   yes   yes   yes   401   401", () => ({ texts: ["me"] })]],
  "muterules.list": [["", "        yes   yes   yes   yes   401   401", nothing]],
  "languages.list": [["", "        yes   yes   yes   yes   401   401", nothing]],
  "timezones.list": [["", "        yes   yes   yes   yes   401   401", nothing]],
  "audit.list": [["", "            yes   403   403   403   401   401", nothing]],
  "settings.list": [["", "         yes   403   403   403   401   401", nothing]],
  "settings.set": [["", "          yes   403   403   403   401   401", () => ({ timezone: "Europe/Oslo" })]],

  "webhooks.create": [["", "       yes   403   403   403   401   401", () => ({ name: "Mine", uri: "https://mine.example/" })]],
  "webhooks.list": [["", "         yes   403   403   403   401   401", nothing]],
  "webhooks.get": [["", "          yes   403   403   403   401   401", hook]],
  "webhooks.update": [["", "       yes   403   403   403   401   401", (scene) => ({ ...hook(scene), name: "Mine" })]],
  "webhooks.delete": [["", "       yes   403   403   403   401   401", hook]],
  "webhooks.rotateSecret": [["", " yes   403   403   403   401   401", hook]],
  "webhooks.test": [["", "         yes   403   403   403   401   401", (scene) => ({ ...hook(scene), wait: 0 })]],
  "webhooks.recover": [["", "      yes   403   403   403   401   401", (scene) => ({ ...hook(scene), since: 0 })]],
  "webhooks.logs": [["", "         yes   403   403   403   401   401", hook]],
  "webhooks.log": [["", "          404   403   403   403   401   401", (scene) => ({ ...hook(scene), log: 987654 })]],
  "webhooks.resend": [["", "       404   403   403   403   401   401", (scene) => ({ ...hook(scene), log: 987654 })]],
  "webhooks.stats": [["", "        yes   403   403   403   401   401", hook]],
  "webhooks.events": [["", "       yes   403   403   403   401   401", nothing]],

  ...postLines,
  ...eventLines,
  ...groupLines,
  ...tokenLines,
};

function reset(token: string) {
  return { email: "member@example.com", token, password: "another password", password_confirm: "another password" };
}

/** The operations that have no line in the table, and the names in the table that are no operations. */
export function unmatched(operations: readonly AnyOperation[]): { missing: string[]; unknown: string[] } {
  const names = operations.map((op) => op.name);
  return {
    missing: names.filter((name) => !permissionTable[name]?.length),
    unknown: Object.keys(permissionTable).filter((name) => !names.includes(name)),
  };
}
