import { type ErrorDetails, ServiceError } from "../../contract/errors.ts";
import { readOnly } from "../missing-rights.ts";
import { tooManyConnections } from "./limited-pool.ts";
import { forgetNames } from "./named-statements.ts";
import { readOnlyState } from "./watch-answers.ts";

interface Failure extends Pick<ErrorDetails, "hint" | "retryAfter"> {
  readonly message: string;
}

const busy: Failure = { message: "The database is busy; try again.", retryAfter: 1 };

// Without retryAfter, as commands would repeat a statement that takes too long again and again.
const cancelled: Failure = {
  message: "PostgreSQL cancelled a statement; try again.",
  hint: "Check statement_timeout and transaction_timeout of the PostgreSQL user and database.",
};

const missingRight: Failure = {
  message: "The PostgreSQL user of the database URL lacks a right that wcs needs.",
  hint: "Make the user the owner of the database (alter database NAME owner to USER), run wcs db migrate as the owner, or grant it connect, usage of the schema, and select, insert, update and delete on all tables.",
};

const pooled: Failure = {
  message: "A pooler in transaction mode is between wcs and PostgreSQL.",
  hint: "Add ?pgbouncer=true to the database URL.",
};

const noSuchDatabase = "3D000";

/** Failures by SQLSTATE. */
const failures: Readonly<Record<string, Failure>> = {
  // Serialization failures, deadlocks, and unique keys taken by a transaction that was not visible yet.
  "40001": busy,
  "40P01": busy,
  "23505": busy,
  // The transaction waited too long for a lock, or for its next statement.
  "55P03": busy,
  "25P03": busy,
  // A statement or a transaction took longer than a setting of PostgreSQL allows, or an administrator cancelled it.
  "57014": cancelled,
  "25P04": cancelled,
  "55000": { message: "PostgreSQL refuses connections to the database." },
  // The database existed when it was opened.
  [noSuchDatabase]: { message: "The PostgreSQL database was dropped or renamed." },
  "42501": missingRight,
  "28000": {
    message:
      "PostgreSQL refuses the connection: it does not let in this user, for this database, from here or without TLS.",
    hint: "Check the user and the database of the URL and pg_hba.conf; when PostgreSQL demands TLS, add ?sslmode=require.",
  },
  [readOnlyState]: { ...readOnly, retryAfter: 2 },
  // A name of a statement is missing or taken on the connection.
  "26000": pooled,
  "42P05": pooled,
  "53100": { message: "The disk of the database server is full; nothing was changed." },
  [tooManyConnections]: {
    message: "PostgreSQL refuses another connection: there are too many.",
    hint: "Raise max_connections of PostgreSQL, or the connection limit of the user or database.",
    retryAfter: 2,
  },
};

/** Returns true for an error after which a transaction can succeed when it runs again. */
export const isConflict = (error: unknown): boolean => ["40001", "40P01", "23505"].includes(sqlState(error));

export const lacksRight = (): ServiceError => toServiceError(missingRight);

/** Translates an error of the first connection, when the database may not exist. */
export function translateOpeningError(cause: unknown): unknown {
  return sqlState(cause) === noSuchDatabase
    ? new ServiceError("not_found", "The PostgreSQL database does not exist. Create it with createdb.", { cause })
    : translatePostgresError(cause);
}

/** Translates an error of PostgreSQL or of the connection to it into a `ServiceError`; returns other errors unchanged. */
export function translatePostgresError(error: unknown): unknown {
  const state = sqlState(error);
  // A kept plan would return other columns than before a migration.
  if (state === "0A000") forgetNames();
  const failure = failures[state] ?? connectionFailure(error, state);
  return failure === undefined ? error : toServiceError(failure, error);
}

// node-pg reports these failures as plain errors without a code or a class, so only the message tells them apart.
const missingPassword = /password must be a (non-empty )?string$/i;
const lostConnection =
  /^(timeout expired|timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client .* is not queryable)/;
const withoutTls = /^The server does not support SSL connections/;

function connectionFailure(error: unknown, state: string): Failure | undefined {
  if (state.startsWith("28") || hasMessage(error, missingPassword)) {
    return {
      message: "PostgreSQL rejected the user or password of the database URL.",
      hint: "Set the password in PGPASSWORD, in ~/.pgpass (with chmod 600) or in the URL in WCS_DB.",
    };
  }
  if (/^(ERR_TLS|.*CERT)|SIGNATURE$/.test(state) || hasMessage(error, withoutTls)) {
    // After a semicolon, Node advises on its own command line.
    const [reason] = (error as Error).message.split(";");
    const message = `PostgreSQL cannot be reached over TLS: ${reason}.`;
    return { message, hint: "Check sslmode and sslrootcert in the database URL." };
  }
  if (/^(E[A-Z]+|57P0[1-5]|08\w{3}|53\w{3})$/.test(state) || hasMessage(error, lostConnection))
    return { message: "PostgreSQL cannot be reached; check that it runs and the database URL.", retryAfter: 2 };
  return undefined;
}

const toServiceError = ({ message, ...details }: Failure, cause?: unknown): ServiceError =>
  new ServiceError("unavailable", message, { ...details, cause });

const hasMessage = (error: unknown, known: RegExp): boolean =>
  error instanceof Error && sqlState(error) === "" && known.test(error.message);

/** Returns the SQLSTATE of an error, or the code of an error of the connection; "" without either. */
function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
