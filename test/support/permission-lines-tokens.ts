// biome-ignore-all format: a table is read by its columns
import { sessions } from "../../src/contract/sessions.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import type { World } from "./actors.ts";
import type { Line } from "./permission-table.ts";

/** Service accounts in North, one of them with abilities in South; the IDs of tokens by their owners, and of a session of the member. */
export interface TokenScene {
  readonly machine: number;
  readonly editor: number;
  readonly ofMember: number;
  readonly ofBoss: number;
  readonly ofMachine: number;
  readonly session: number;
}

export async function makeTokens({ instance, actors, ids, units }: World): Promise<TokenScene> {
  const { administrator } = actors;
  const account = { first_name: "Machine", service: true, unit: units.harbour };
  const { id: machine } = await administrator.call(users.create, { ...account, last_name: "One" });
  const { id: editor } = await administrator.call(users.create, { ...account, last_name: "Two" });
  const userTypes = [(await administrator.call(usertypes.create, { name: "Scribe", abilities: { news: true } })).id];
  await administrator.call(users.membershipAdd, { user: editor, unit: units.south, userTypes });
  const all = { name: "Permissions", scopes: ["write"] };
  const { id: ofMember } = await actors.member.call(tokens.create, all);
  const { id: ofBoss } = await (await instance.as(ids.boss)).call(tokens.create, all);
  const { id: ofMachine } = await administrator.call(tokens.create, { ...all, owner: machine });
  const { data } = await actors.member.call(sessions.list, {});
  return { machine, editor, ofMember, ofBoss, ofMachine, session: data[0]!.id };
}

const token = { name: "New", scopes: ["read"] };

export const tokenLines: Record<string, readonly Line[]> = {
  "sessions.list": [["", "         yes   yes   yes   yes   401   401", () => ({})]],
  "sessions.end": [
    ["of the member", "            404   404   yes   404   401   401", ({ tokens }) => ({ id: tokens.session })],
    ["none", "                     404   404   404   404   401   401", () => ({ id: 987654 })],
  ],
  "sessions.endOthers": [["", "    yes   yes   yes   yes   401   401", () => ({})]],
  "sessions.endCurrent": [["", "   yes   yes   yes   yes   401   401", () => ({})]],

  "tokens.list": [
    ["", "                         yes   yes   yes   yes   401   401", () => ({})],
    ["of the member", "            yes   yes   yes   403   401   401", ({ ids }) => ({ owner: ids.member })],
    ["of a machine in North", "    yes   yes   403   403   401   401", ({ tokens }) => ({ owner: tokens.machine })],
    ["of an administrator", "      yes   403   403   403   401   401", ({ ids }) => ({ owner: ids.boss })],
    ["of nobody", "                422   422   422   422   401   401", () => ({ owner: 987654 })],
  ],
  "tokens.create": [
    ["for oneself", "              yes   yes   yes   yes   401   401", () => token],
    ["for a machine in North", "   yes   yes   403   403   401   401", ({ tokens }) => ({ ...token, owner: tokens.machine })],
    ["for one that is an editor", "yes   403   403   403   401   401", ({ tokens }) => ({ ...token, owner: tokens.editor })],
    ["for the member", "           422   422   yes   422   401   401", ({ ids }) => ({ ...token, owner: ids.member })],
    ["for nobody", "               422   422   422   422   401   401", () => ({ ...token, owner: 987654 })],
  ],
  "tokens.get": [
    ["of the member", "            yes   yes   yes   404   401   401", ({ tokens }) => ({ id: tokens.ofMember })],
    ["of a machine in North", "    yes   yes   404   404   401   401", ({ tokens }) => ({ id: tokens.ofMachine })],
    ["of an administrator", "      yes   404   404   404   401   401", ({ tokens }) => ({ id: tokens.ofBoss })],
    ["none", "                     404   404   404   404   401   401", () => ({ id: 987654 })],
  ],
  "tokens.current": [["with a sign-in", "404   404   404   404   401   401", () => ({})]],
  "tokens.revoke": [
    ["of the member", "            yes   yes   yes   404   401   401", ({ tokens }) => ({ id: tokens.ofMember })],
    ["of a machine in North", "    yes   yes   404   404   401   401", ({ tokens }) => ({ id: tokens.ofMachine })],
    ["of an administrator", "      yes   404   404   404   401   401", ({ tokens }) => ({ id: tokens.ofBoss })],
    ["none", "                     404   404   404   404   401   401", () => ({ id: 987654 })],
  ],
};
