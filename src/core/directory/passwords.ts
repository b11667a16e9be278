import { promisify } from "node:util";
import { ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { Cause } from "../../contract/issue-messages.ts";
import { once } from "../../contract/once.ts";
import { Semaphores } from "../../contract/semaphore.ts";
import type { Settings } from "../../contract/settings.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";

/** Parameters of argon2id (RFC 9106; OWASP's first choice for 19 MiB). Memory is in KiB. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

/** Few threads hash all passwords, so each account may run one hash at a time, and one more for other accounts. */
const byAccount = new Semaphores<string>(1, {
  maxWaiting: 1000,
  refusal: () => new ServiceError("unavailable", "Too many passwords wait to be hashed; try again.", { retryAfter: 5 }),
});

/** Hashes a password once earlier hashes and checks of the account are done. */
export const hashInTurn = (account: string, password: string): Promise<string> =>
  byAccount.run(account, () => hashPassword(password));

/** Hashes a password that an account sets for another one. Its own sign-ins do not wait for such hashes. */
export const hashForAnother = (account: string, password: string): Promise<string> =>
  hashInTurn(`${account} for others`, password);

/** Hashes a password off the event loop, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const { randomBytes } = await import("node:crypto");
  const salt = randomBytes(saltBytes);
  const tag = await digest(password, salt, parameters);
  const { memory, passes, parallelism } = parameters;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;
// Used when there is no such user, so that the check takes the same time.
const absent = `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$${base64(Buffer.alloc(saltBytes))}$${base64(Buffer.alloc(tagBytes))}`;

/** Compares a password with its hash in the account's turn. Takes the same time without a hash. `outdated` means that the hash has old parameters. */
export async function checkPassword(
  account: string,
  password: string,
  hash: string | null,
): Promise<{ good: boolean; outdated: boolean }> {
  const [, memory, passes, parallelism, salt = "", tag = ""] = phc.exec(hash ?? absent) ?? phc.exec(absent) ?? [];
  const used = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(tag, "base64");
  const found = await byAccount.run(account, () => digest(password, Buffer.from(salt, "base64"), used));
  const { timingSafeEqual } = await import("node:crypto");
  const good = hash !== null && found.length === expected.length && timingSafeEqual(found, expected);
  const outdated =
    used.memory !== parameters.memory ||
    used.passes !== parameters.passes ||
    used.parallelism !== parameters.parallelism;
  return { good, outdated };
}

type Person = Partial<RowOf<"users", "email" | "first_name" | "last_name">>;

/** Throws `validation_failed` when the password is too short, common, or the user's own name or address. */
export async function checkNewPassword(password: string, person: Person, settings: Settings): Promise<void> {
  const issue = await passwordIssue(password, person, settings);
  if (issue !== undefined) requireNoIssues({ password: [issue] });
}

/** Returns the issue with a new password that is too short, common, or the user's own name or address. */
export async function passwordIssue(
  password: string,
  { email, first_name = "", last_name = "" }: Person,
  settings: Settings,
): Promise<Cause | undefined> {
  const min = settings["passwords.min_length"];
  if ([...password].length < min) return { code: "too_small", params: { minimum: min, of: "string" } };
  if (isPattern(password) || (await commonPasswords()).has(password.toLowerCase())) return { code: "common_password" };
  const own = [email ?? "", first_name, last_name, `${first_name} ${last_name}`];
  const isOwn = own.some((each) => each.trim() !== "" && fold(each) === fold(password));
  return isOwn ? { code: "own_name" } : undefined;
}

/** Returns true for short patterns, which the list of common passwords leaves out: 00000000, 12341234, abcdefgh, 87654321. */
function isPattern(password: string): boolean {
  if (!/^[a-z0-9]{8,12}$/i.test(password)) return false;
  const bytes = Buffer.from(password.toLowerCase());
  const steps = new Set(bytes.subarray(1).map((byte, i) => byte - Number(bytes[i])));
  // 1 and 255 stand for the next and the previous character.
  const isSequence = steps.size === 1 && (steps.has(1) || steps.has(255));
  return isSequence || [1, 2, 3, 4].some((period) => password.startsWith(password.slice(period)));
}

/** Returns about 18,000 passwords of at least 8 characters that attackers try first. */
const commonPasswords = once(async () => {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"].filter((each) => each.length >= 8));
});

// node:crypto is loaded on demand, because most commands have no password to hash.
async function digest(password: string, salt: Buffer, used: typeof parameters): Promise<Buffer> {
  const { argon2 } = await import("node:crypto");
  const message = Buffer.from(password.normalize("NFC"));
  return promisify(argon2)("argon2id", { message, nonce: salt, tagLength: tagBytes, ...used });
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
