import { ServiceError } from "../../contract/errors.ts";
import { readOnly } from "../missing-rights.ts";
import { tooManyConnections } from "./limited-pool.ts";
import { forgetNames } from "./named-statements.ts";

function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Returns true for serialization failures, deadlocks, and unique keys taken by a transaction that was not visible yet. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01", "23505"].includes(sqlState(error) ?? "");
}

const noSuchDatabase = "3D000";

/** Translates an error of the first connection, when the database may not exist. */
export function translateOpeningError(cause: unknown): unknown {
  return sqlState(cause) === noSuchDatabase
    ? new ServiceError("not_found", "The PostgreSQL database does not exist. Create it with createdb.", { cause })
    : translatePostgresError(cause);
}

/** SQLSTATEs of transactions that waited too long for a lock, or for their next statement. */
const waitedTooLong = ["55P03", "25P03"];
/** SQLSTATEs of statements and transactions that took longer than a setting of PostgreSQL allows, or that an administrator cancelled. */
const cancelled = ["57014", "25P04"];

// node-pg reports these failures as plain errors without a code or a class, so only the message tells them apart.
const missingPassword = /password must be a (non-empty )?string$/i;
const lostConnection =
  /^(timeout expired|timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client .* is not queryable)/;

const withoutTls = /^The server does not support SSL connections/;

const hasMessage = (error: unknown, known: RegExp): boolean =>
  error instanceof Error && sqlState(error) === undefined && known.test(error.message);

export const lacksRight = (cause?: unknown) =>
  new ServiceError("unavailable", "The PostgreSQL user of the database URL lacks a right that wcs needs.", {
    hint: "Make the user the owner of the database (alter database NAME owner to USER), run wcs db migrate as the owner, or grant it connect, usage of the schema, and select, insert, update and delete on all tables.",
    cause,
  });

const failedTls = (cause: Error) =>
  new ServiceError("unavailable", `PostgreSQL cannot be reached over TLS: ${cause.message}.`, {
    hint: "Check sslmode and sslrootcert in the database URL.",
    cause,
  });

/** Translates an error of PostgreSQL or of the connection to it into a `ServiceError`; returns other errors unchanged. */
export function translatePostgresError(error: unknown): unknown {
  const state = sqlState(error) ?? "";
  const failed = (message: string, more: { readonly hint?: string; readonly retryAfter?: number } = {}) =>
    new ServiceError("unavailable", message, { ...more, cause: error });
  // A kept plan would return other columns than before a migration.
  if (state === "0A000") forgetNames();
  if (isConflict(error) || waitedTooLong.includes(state))
    return failed("The database is busy; try again.", { retryAfter: 1 });
  if (cancelled.includes(state)) {
    const hint = "Check statement_timeout and transaction_timeout of the PostgreSQL user and database.";
    return failed("PostgreSQL cancelled a statement; try again.", { hint, retryAfter: 1 });
  }
  if (state === "55000") return failed("PostgreSQL refuses connections to the database.");
  // It existed when it was opened.
  if (state === noSuchDatabase) return failed("The PostgreSQL database was dropped or renamed.");
  if (state.startsWith("28") || hasMessage(error, missingPassword)) {
    const hint = "Set the password in PGPASSWORD, in ~/.pgpass (with chmod 600) or in the URL in WCS_DB.";
    return failed("PostgreSQL rejected the user or password of the database URL.", { hint });
  }
  if (state === "42501") return lacksRight(error);
  if (state === "25006") return failed(readOnly.message, { hint: readOnly.hint, retryAfter: 2 });
  if (state === "26000" || state === "42P05") {
    const hint = "Add ?pgbouncer=true to the database URL.";
    return failed("A pooler in transaction mode is between wcs and PostgreSQL.", { hint });
  }
  if (state === "53100") return failed("The disk of the database server is full; nothing was changed.");
  if (/^(ERR_TLS|.*CERT)|SIGNATURE$/.test(state) || hasMessage(error, withoutTls)) return failedTls(error as Error);
  if (state === tooManyConnections) {
    const hint = "Raise max_connections of PostgreSQL, or the connection limit of the user or database.";
    return failed("PostgreSQL refuses another connection: there are too many.", { hint, retryAfter: 2 });
  }
  const unreachable = /^(E[A-Z]+|57P0[1-5]|08\w{3}|53\w{3})$/.test(state);
  return unreachable || hasMessage(error, lostConnection)
    ? failed("PostgreSQL cannot be reached; check that it runs and the database URL.", { retryAfter: 2 })
    : error;
}
