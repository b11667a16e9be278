import { pluralize } from "../../../contract/count-text.ts";
import { countSecrets, rotateSecretKey } from "../../../store/rotate-secret-key.ts";
import { createSecretCipher } from "../../../store/secret-cipher.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { exposureOf, modeOf } from "../../file-io/file-mode.ts";
import { createSources } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { createOutput } from "../../output/create-output.ts";
import { keyAdvice, openWithKey, parseDatabaseKey } from "../../session/open-with-key.ts";
import { withDatabase } from "../../session/with-database.ts";
import { databaseOf } from "./db-target.ts";

export async function rekey(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const output = createOutput({ sample: { secrets: 0, key: "", previous_key: "" } }, context);
  const given = await newKey(context);
  await withDatabase(context, openWithKey(databaseOf(context), terminal.env), async (database) => {
    const next = given === "present" ? database.secrets : createSecretCipher(given);
    if (given === "present" && next.keyId === undefined)
      throw new UsageError("there is no key: set WCS_SECRET_KEY or use --new-key-file", { hint: keyAdvice });
    const { keyId: before } = await countSecrets(database);
    const secrets = await rotateSecretKey(database, next, { dryRun: flags.dryRun === true });
    await output.one({ secrets, key: next.keyId ?? null, previous_key: before });
    if (flags.dryRun) terminal.note(dryRunNote);
    else if (next.keyId === undefined) terminal.note(`Stored ${pluralize(secrets, "secret")} unencrypted.`);
    else terminal.note(`Encrypted ${pluralize(secrets, "secret")}. Restart wcs serve with the key ${next.keyId}.`);
  });
}

async function newKey({ terminal, flags }: Context): Promise<Uint8Array | undefined | "present"> {
  const path = flags.newKeyFile as string | undefined;
  if (flags.decrypt && path !== undefined) throw new UsageError("--decrypt and --new-key-file cannot be used together");
  if (flags.decrypt) return undefined;
  if (path === undefined) return "present";
  const key = parseDatabaseKey(await createSources(terminal).file(path, "--new-key-file"), "--new-key-file");
  const exposure = path === "-" ? undefined : exposureOf({ path, mode: modeOf(path) }, 0o600);
  if (exposure) terminal.note(exposure);
  return key;
}
