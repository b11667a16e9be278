import type { z } from "zod";
import type { FieldIssues } from "../../contract/errors.ts";
import type { AnyOperation, InputOf, OutputOf } from "../../contract/operation.ts";
import type { Settings } from "../../contract/settings.ts";
import type { Trigger } from "../../contract/webhooks.ts";
import type { Db } from "../../store/database.ts";
import type { SecretCipher } from "../../store/secret-cipher.ts";
import type { Topic } from "../../store/topics.ts";
import type { Actor } from "./actor.ts";
import type { ApiToken } from "./api-tokens.ts";

export interface Instance {
  readonly issuer: string;
  readonly tokenKey: Uint8Array;
}

/** The context that each operation runs in. The time does not change while it runs. */
export interface Ctx {
  /** The transaction of a writing operation, or the reader. */
  readonly db: Db;
  readonly actor: Actor;
  /** Unix seconds. */
  readonly now: number;
  readonly settings: Settings;
  readonly instance: Instance;
  readonly secrets: SecretCipher;
  /** The client's network address; undefined when the core is embedded. */
  readonly address: string | undefined;
  /** The address that rate limits count by, of IPv6 its /64; undefined when the core is embedded. */
  readonly network: string | undefined;
  readonly userAgent: string | undefined;
  /** The URL at which the service is served, without a trailing slash. The setting `base_url` takes precedence. */
  readonly servedAt: string | undefined;
  /** True when all changes are rolled back at the end, except those in `lasting` transactions. */
  readonly dryRun: boolean;
  readonly token: { readonly authTime: number; readonly session: string } | undefined;
  readonly apiToken: ApiToken | undefined;
  /** Runs `work` in a transaction of an operation with `transaction: "own"`. A `lasting` one is committed in a dry run, too. */
  transaction<T>(
    work: (ctx: Ctx) => Promise<T>,
    options?: { readonly lasting?: boolean; readonly locking?: boolean },
  ): Promise<T>;
  /**
   * Reports that a user or unit was created or changed, or is about to be deleted. All changes of the same object in
   * one transaction become one event. `before` is the full form of an object that is about
   * to be deleted, as administrators see it; of a user, the form after personal data were erased.
   */
  changed(trigger: Trigger, id: number, before?: object): void;
  /** Wakes delivery workers and clients that wait for these topics, after the commit. */
  announce(...topics: Topic[]): void;
  waitFor<T>(
    options: { readonly seconds: number; readonly topics: readonly Topic[] },
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
}

/** The functions of a group, one per operation of its contract. */
export type Handlers<R extends Record<string, AnyOperation>> = {
  [K in keyof R]: (ctx: Ctx, input: InputOf<R[K]>) => Promise<Result<R[K]>>;
};

/** Rules of a group that refuse a large body early, if the known input suffices. The handler checks again. */
export type Admission<R extends Record<string, AnyOperation>> = {
  readonly [K in keyof R]?: (ctx: Ctx, known: Partial<InputOf<R[K]>>) => Promise<unknown>;
};

/**
 * Checks of a group by operation: each returns the issues of fields that depend on other fields or on data. The pipeline
 * calls them for inputs that are wrong anyway, so that an error names every wrong field; `known` holds the
 * valid fields; `isWrong` returns true for a field that was given but is invalid. The handler checks valid inputs itself.
 */
export type Checks<R extends Record<string, AnyOperation>> = {
  readonly [K in keyof R]?: (
    ctx: Ctx,
    known: Partial<InputOf<R[K]>>,
    isWrong: (field: string) => boolean,
  ) => Promise<FieldIssues>;
};

type Result<O extends AnyOperation> = ReturnType<O["output"]> extends z.ZodVoid ? undefined : OutputOf<O>;
