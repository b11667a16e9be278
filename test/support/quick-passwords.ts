import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll } from "vitest";

/** Milliseconds; about what the work takes that is left out, so that attempts made at once overlap as they do in use. */
const usualWork = 25;

let isQuick = false;

/** Tells whether passwords are hashed with little work now; a hash that was made otherwise is of no use then. */
export const arePasswordsQuick = (): boolean => isQuick;

/** For a file that tries hundreds of passwords, in this process only: hashes take as long as usual, but hardly any work. */
export function useQuickPasswords(): void {
  const { argon2 } = crypto;
  beforeAll(() => {
    isQuick = true;
    crypto.argon2 = (algorithm, parameters, done) => {
      setTimeout(argon2, usualWork, algorithm, { ...parameters, memory: 8 * parameters.parallelism, passes: 1 }, done);
    };
    syncBuiltinESMExports();
  });
  afterAll(() => {
    isQuick = false;
    crypto.argon2 = argon2;
    syncBuiltinESMExports();
  });
}
