import { tokens as ops } from "../../../contract/tokens.ts";
import { askAbout, type Commands, command, type OperationRun } from "../../kit/command-spec.ts";

export const tokens: Commands = {
  list: command(ops.list, {
    columns: ["id", "name", "owner.name", "scopes", "expires_at", "last_used_at"],
    ahead: { expires_before: null },
    examples: ["wcs tokens list --owner 12", "wcs tokens list --expires-before +14d"],
  }),
  get: command(ops.get, {}),
  create: command(ops.create, {
    perform: createToken,
    ahead: { expires_at: null },
    examples: [
      "wcs tokens create --name nightly --scopes read --expires-at +90d",
      "wcs tokens create --name ci --owner 12 --scopes read,users.import --json | jq -r .token",
    ],
  }),
  revoke: command(ops.revoke, {
    confirm: askAbout(ops.get, ({ name, owner }) => `Revoke the token ${name} of ${owner.name}?`),
    done: ({ id }) => `Revoked token ${id}.`,
  }),
};

/** Prints a note when the response has no token: it was lost with the first response of a repeated request. */
async function createToken({ input, context, finish }: OperationRun<typeof ops.create>): Promise<void> {
  const { id, token } = await finish(input);
  const { terminal, flags } = context;
  if (flags.dryRun) return;
  if (token !== undefined) return terminal.note("Store the token now; it cannot be shown again.");
  terminal.note(`The first response, with the token, was lost. Revoke it with wcs tokens revoke ${id}.`);
}
