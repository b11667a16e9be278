import type { Kysely, Transaction } from "kysely";
import type { Schema } from "./schema/schema.ts";
import type { SecretCipher } from "./secret-cipher.ts";
import type { ChangeListener, Topic } from "./topics.ts";

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** Versions of facts that a process may keep in memory; each changes with every change of a fact of its kind. */
export interface FactVersions {
  readonly actors: number;
  readonly settings: number;
}

/** An open database with concurrent readers and isolated writing transactions. */
export interface Database {
  /** Reads only; never waits for a writing transaction. */
  readonly reader: Db;
  /** Runs `work` in a serializable transaction, again after a conflict: it must not have effects outside of it. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work` in a READ COMMITTED transaction, for work that locks the rows it depends on. */
  writeLocking<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Returns the versions of facts as committed by any process; undefined where this would take a round trip. */
  factVersions(): FactVersions | undefined;
  /**
   * Calls `wake` soon after this or another process announced topics, or without topics when anything may have changed.
   * Returns a function that ends the subscription. Only a hint: a change that was not announced, or on PostgreSQL a broken
   * connection, may go unnoticed, so callers must also poll.
   */
  onChange(wake: ChangeListener): () => void;
  /** Returns true while a transaction of this process keeps other processes from writing to the SQLite file. */
  isWriting(): boolean;
  /** Wakes the listeners in every process. Call it after the commit. */
  announce(topics: readonly Topic[]): void;
  readonly secrets: SecretCipher;
  /** Translates a database failure into a `ServiceError`; returns other errors unchanged. */
  explain(error: unknown): unknown;
  /** From now on, statements fail as `unavailable` when PostgreSQL does not answer within 30 seconds; for servers. */
  limitAnswers(): void;
  close(): Promise<void>;
}

/** A database connection before the key of its secrets is known. */
export type Connected = Omit<Database, "secrets">;

export interface OpenOptions {
  /** Creates a new database and fills it in one transaction. An existing database is a `conflict` and stays unchanged. */
  readonly create?: (tx: Tx, secrets: SecretCipher) => Promise<void>;
  /** Last migration to run before `create`, which then runs the others and may store secrets of any key. Default: the newest. */
  readonly schema?: string;
  /** Key of 32 bytes for the secrets. Throws a `SecretKeyError` when the stored ones have another key. */
  readonly secretKey?: Uint8Array | undefined;
  /** Skips the migration: the schema may be older than this program, newer, or missing. */
  readonly skipMigration?: true;
}
