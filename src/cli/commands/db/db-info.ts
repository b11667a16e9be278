import { readDatabaseInfo } from "../../../store/integrity/database-info.ts";
import { openDatabase } from "../../../store/open-database.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import { withDatabase } from "../../session/with-database.ts";
import { databaseOf } from "./db-target.ts";

const formats = { size_bytes: "bytes", created_at: "unix-time" } as const;

export async function info(context: Context): Promise<void> {
  const { terminal } = context;
  await withDatabase(context, openDatabase(databaseOf(context), { skipMigration: true }), async (database) => {
    const facts = await readDatabaseInfo(database);
    await createOutput<typeof facts>({ formats, sample: facts }, context).one(facts);
    if (facts.schema < facts.latest) {
      terminal.note(
        "The schema is older than this wcs. Bring it up to date with wcs db migrate; any other command does so, too.",
      );
    } else if (facts.schema > facts.latest) {
      terminal.note("The schema is newer than this wcs. Update wcs to use the database.");
    }
  });
}
