import type { z } from "zod";
import type { AnyOperation, InputOf, OutputOf } from "../contract/operation.ts";
import type { Settings } from "../contract/settings.ts";
import type { Db } from "../store/database.ts";
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
  readonly settings: Settings;
  readonly instance: Instance;
  /** The network address that asked; none when the core is embedded. */
  readonly address: string | undefined;
  /** The claims of the token that was shown, if one was. */
  readonly token: { readonly authTime: number } | undefined;
  /** For operations with `transaction: "own"`: runs `work` in one, with a context of its own. */
  transaction<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
  /** Runs `wake` once the transaction is committed; never when it is taken back. */
  onCommit(wake: () => void): void;
}

/** A room's functions, one for each operation of its contract. */
export type Handlers<R extends Record<string, AnyOperation>> = {
  [K in keyof R]: (ctx: Ctx, input: InputOf<R[K]>) => Promise<Result<R[K]>>;
};

type Result<O extends AnyOperation> = ReturnType<O["output"]> extends z.ZodVoid ? undefined : OutputOf<O>;
