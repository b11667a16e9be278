import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { countSecrets, rotateSecretKey } from "../../src/store/rotate-secret-key.ts";
import { createSecretCipher } from "../../src/store/secret-cipher.ts";
import { password } from "../support/actors.ts";
import { type DatabaseKind, newInstance } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol, totpCode } from "../support/second-factor.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

describe.each<DatabaseKind>(["sqlite", "postgres"])("the secret of a second factor (%s)", (database) => {
  it("is encrypted, and its codes and recovery codes are good after the key was changed", async () => {
    const [first, next] = [randomBytes(32), randomBytes(32)];
    const instance = await newInstance({ database, caller: "local" }, { secretKey: first });
    onTestFinished(() => instance.close());
    const person = { first_name: "Ann", last_name: "Lee", email: "ann@example.com", unit: 1, password };
    const { id } = await instance.administrator.call(users.create, person);
    const { secret, codes } = await enrol(await instance.as(id), instance);
    const sealed = async () => (await allRows(instance.database)).two_factors?.[0]?.secret;
    const before = await sealed();
    expect(before).toMatch(/^wcs1\./);
    expect(JSON.stringify(await allRows(instance.database))).not.toContain(secret);
    const { encrypted, plain } = await countSecrets(instance.database);
    expect([encrypted, plain]).toEqual([2, 0]);
    expect(await rotateSecretKey(instance.database, createSecretCipher(next))).toBe(2);
    expect(await sealed()).not.toBe(before);
    const signIn = async (secretKey: Uint8Array, otp: string) => {
      const opened = await openDatabase(instance.target, { secretKey });
      const service = createService({ database: opened });
      const input = { username: "ann@example.com", password, otp };
      return codeOf(service.invoke(auth.authenticate, input, {})).finally(() => opened.close());
    };
    expect(await signIn(next, totpCode(secret, instance.now() + 30))).toBe("ok");
    expect(await signIn(next, codes[0]!)).toBe("ok");
    await expect(signIn(first, codes[1]!)).rejects.toThrow("encrypted with another key");
  });
});
