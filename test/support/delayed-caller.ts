import type { Caller } from "../../src/contract/operation.ts";
import { createService } from "../../src/core/service.ts";
import type { World } from "./actors.ts";

/** A caller on the database of a world whose first transaction waits for `end`, as behind others or for a hash. */
export function delayedCaller({ instance: { database } }: World, token: string, end: () => Promise<unknown>): Caller {
  let waited: Promise<unknown> | undefined;
  const after = async <T>(work: () => Promise<T>): Promise<T> => {
    waited ??= end();
    await waited;
    return work();
  };
  const slow = {
    ...database,
    write: <T>(work: Parameters<typeof database.write<T>>[0]) => after(() => database.write(work)),
    writeLocking: <T>(work: Parameters<typeof database.writeLocking<T>>[0]) => after(() => database.writeLocking(work)),
  };
  return createService({ database: slow }).caller({ token });
}
