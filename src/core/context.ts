import type { z } from "zod";
import type { AnyOperation, InputOf, OutputOf } from "../contract/operation.ts";
import type { Settings } from "../contract/settings.ts";
import type { Trigger } from "../contract/webhooks.ts";
import type { Database, Db } from "../store/database.ts";
import type { SecretCipher } from "../store/secret-cipher.ts";
import type { Topic } from "../store/topics.ts";
import type { Actor } from "./permissions.ts";

/** Identifies the instance: who issues its tokens, and with which key. */
export interface Instance {
  readonly issuer: string;
  readonly tokenKey: Uint8Array;
}

/** What an operation works with. Time stands still while it runs. */
export interface Ctx {
  /** The transaction of a writing operation, else the reader. */
  readonly db: Db;
  readonly actor: Actor;
  /** Unix seconds. */
  readonly now: number;
  /** The same, for an answer that the time alone will not change before the first of `changes` that lies ahead. */
  nowUntil(changes: readonly (number | null)[]): number;
  readonly settings: Settings;
  readonly instance: Instance;
  /** Encrypts what is secret before it is kept. */
  readonly secrets: SecretCipher;
  /** The network address that asked; none when the core is embedded. */
  readonly address: string | undefined;
  /** The address by which limits count: an IPv4 address, or the /64 of an IPv6 address; none when the core is embedded. */
  readonly network: string | undefined;
  /** Where the service is served, without a slash at the end; `base_url` of the settings goes before it. */
  readonly servedAt: string | undefined;
  /** All that is done will be taken back. */
  readonly dryRun: boolean;
  /** The claims of the token that was shown, if one was. */
  readonly token: { readonly authTime: number } | undefined;
  /**
   * For operations with `transaction: "own"`: runs `work` in one, with a context of its own. What is `lasting` stays in a
   * dry run, too; `locking` is as in the contract.
   */
  transaction<T>(
    work: (ctx: Ctx) => Promise<T>,
    options?: { readonly lasting?: boolean; readonly locking?: boolean },
  ): Promise<T>;
  /** Runs `wake` once the transaction is committed; never when it is taken back. */
  onCommit(wake: () => void): void;
  /**
   * Says that a user or unit was made, changed or is about to be deleted: becomes one event for it with the transaction,
   * whatever happened to it there. `before`, of what is deleted: how it was, as administrators see it.
   */
  changed(trigger: Trigger, id: number, before?: object): void;
  /** Wakes those who deliver what was put out, or wait for a change of the topics, once the transaction is committed. */
  announce(...topics: Topic[]): void;
  /** For operations that wait: as `Waits.waitFor`. */
  waitFor<T>(
    options: { readonly seconds: number; readonly topics: readonly Topic[] },
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
}

/** A room's functions, one for each operation of its contract. */
export type Handlers<R extends Record<string, AnyOperation>> = {
  [K in keyof R]: (ctx: Ctx, input: InputOf<R[K]>) => Promise<Result<R[K]>>;
};

type Result<O extends AnyOperation> = ReturnType<O["output"]> extends z.ZodVoid ? undefined : OutputOf<O>;

type OfTransaction = "db" | "onCommit" | "announce" | "changed" | "transaction" | "waitFor";

/** The context of work that only reads. */
export function readingContext(op: AnyOperation, base: Omit<Ctx, OfTransaction>, database: Database): Ctx {
  const misplaced = (what: string) => new Error(`${op.name}: ${what} has no place here`);
  return {
    ...base,
    db: database.reader,
    onCommit: (wake) => wake(),
    announce: (...topics) => database.announce(topics),
    changed(trigger) {
      throw misplaced(trigger);
    },
    transaction: async () => {
      throw misplaced("a transaction");
    },
    waitFor: async () => {
      throw misplaced("waiting");
    },
  };
}
