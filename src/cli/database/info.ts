import { openDatabase } from "../../store/database.ts";
import { lookAt } from "../../store/upkeep/facts.ts";
import { createOutput } from "../output.ts";
import type { Context } from "../tree.ts";
import { databaseOf } from "./target.ts";

/** `wcs db info` */
export async function info(context: Context): Promise<void> {
  const { terminal, globals } = context;
  const database = await openDatabase(databaseOf(context), { asItIs: true });
  try {
    const facts = await lookAt(database);
    await createOutput({}, globals, terminal).one(facts);
    if (facts.schema < facts.latest) {
      terminal.note(
        "The schema is older than this wcs; wcs db migrate brings it up to date, as any other command does.",
      );
    } else if (facts.schema > facts.latest) {
      terminal.note("The schema is newer than this wcs; update wcs to use the database.");
    }
  } catch (error) {
    throw database.explain(error);
  } finally {
    await database.close();
  }
}
