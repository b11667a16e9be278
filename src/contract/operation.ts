import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";

export type Ability = "news" | "calendar" | "groups" | "user" | "units" | "usertypes" | "integrations";
export const abilities: readonly Ability[] = [
  "news",
  "calendar",
  "groups",
  "user",
  "units",
  "usertypes",
  "integrations",
];

/**
 * Names the input field that says where an ability has to reach: a user (or a list of them), by the user's first unit, or a
 * unit. A `member` is a user of any unit: the ability has to reach the other places only. An administrator's account is
 * changed by administrators only, whether a `user` or a `member`.
 */
export type Reach = { readonly user: string } | { readonly member: string } | { readonly unit: string };

/** Fields by which an account is known: changing one could give the account to somebody else. */
export type IdentityField = "email" | "reference";

/**
 * Who may call an operation. `ability` without `at` is satisfied by the ability in any unit; with `at` it has to reach
 * every place named there whose field is present; `self` also admits the user whom the first `at` names. `takeover` says
 * that the operation could give somebody else the account of a `user`, or take it away: always, or when one of these fields
 * changes. The actor then needs every ability that the user has, wherever the user has it.
 */
export type Access =
  | "public"
  | "signed_in"
  | "administrator"
  | {
      readonly ability: Ability;
      readonly at?: readonly Reach[];
      readonly self?: true;
      readonly takeover?: true | readonly IdentityField[];
    };

/** How a list is continued: by opaque cursor, by numbered page with totals (two shapes), or by numbered page alone. */
export type Paging = "cursor" | "pages" | "hits" | "numbered";

/** One operation of the service, as data. Routes, client, OpenAPI, commands, completions and help derive from it. */
export interface Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** `room.verb`; set by `room()`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/api`. `{name}` is the input field of that name, `{wire=name}` the input field `name` written `wire` on the wire. */
  readonly path: string;
  /** Served without the `/api` prefix, too. */
  readonly bare?: true;
  /** One line: what it does. */
  readonly summary: string;
  /** What a caller has to know beyond that. */
  readonly description?: string;
  readonly access: Access;
  readonly input: () => I;
  /** The response body; `z.void()` with 204. */
  readonly output: () => O;
  readonly status: 200 | 201 | 204;
  /** Path of what was created, with fields of the response in braces. */
  readonly location?: string;
  /** The response is a list: where its items are, and how it goes on. */
  readonly list?: { readonly items: string; readonly paging?: Paging };
  /** The response wraps one resource in this field. */
  readonly item?: string;
  /** Errors beyond those that access, input and transport imply. */
  readonly errors?: readonly ErrorCode[];
  /**
   * `read` runs on the reader; `write` (what is not GET) in one serializable transaction; `locking` in one that locks the
   * rows by which it decides, so that many can follow each other quickly where they change the same; `own` opens its
   * transactions itself, because something slow or something that has to outlive a failure happens around them.
   */
  readonly transaction: "read" | "write" | "locking" | "own";
  /** Nobody else's business: the audit does not tell of it. */
  readonly private?: true;
  /** Largest body in bytes, when it is not the common 1 MiB. */
  readonly bodyLimit?: number;
  /** The response is bytes and not JSON: the output is a `Content`. */
  readonly bytes?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: any operation, whatever its schemas
export type AnyOperation = Operation<any, any>;
export type InputOf<O extends AnyOperation> = z.infer<ReturnType<O["input"]>>;
export type ArgumentsOf<O extends AnyOperation> = z.input<ReturnType<O["input"]>>;
export type OutputOf<O extends AnyOperation> = z.infer<ReturnType<O["output"]>>;

type Definition<I extends z.ZodType, O extends z.ZodType> = Omit<Operation<I, O>, "name" | "transaction"> & {
  readonly transaction?: "locking" | "own";
};

/** Declares an operation. Its schemas are built when first asked for, so that declaring many costs nothing. */
export function operation<I extends z.ZodType, O extends z.ZodType>(definition: Definition<I, O>): Operation<I, O> {
  return {
    name: "",
    ...definition,
    transaction: definition.transaction ?? (definition.method === "GET" ? "read" : "write"),
    input: once(definition.input),
    output: once(definition.output),
  };
}

/** Names a room's operations `room.verb`. */
export function room<R extends Record<string, AnyOperation>>(name: string, operations: R): R {
  for (const [verb, op] of Object.entries(operations)) Object.assign(op, { name: `${name}.${verb}` });
  return operations;
}

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export interface CallOptions {
  /** Do everything, then take it back: the answer is what would have been. */
  readonly dryRun?: boolean;
  /** Repeats of a POST with the same key get the first answer. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Told as the request goes out over a network: how many bytes of its body have gone, and of how many. */
  readonly onSent?: (sent: number, of: number) => void;
}

/** How a request reached the service, beside its input. */
export interface Origin extends CallOptions {
  /** The bearer token, as it was sent. */
  readonly token?: string;
  /** The network address that asked; none when the core is embedded. */
  readonly address?: string;
  /** The address by which limits count: an IPv4 address, or the /64 of an IPv6 address in canonical form. */
  readonly network?: string;
  /** Called with the user's ID once the token has been found good. */
  readonly onIdentified?: (userId: number) => void;
  /** Where the service is served, without a slash at the end; `base_url` of the settings goes before it. */
  readonly servedAt?: string;
}

/** Carries out an operation: authenticate, parse, permit, do. Failures are `ServiceError`s. */
export type Invoke = (op: AnyOperation, input: unknown, origin: Origin) => Promise<unknown>;

/** Whoever can carry out operations for one actor: an embedded core, or a remote instance. Failures are `ServiceError`s. */
export interface Caller {
  call<O extends AnyOperation>(op: O, input: ArgumentsOf<O>, options?: CallOptions): Promise<OutputOf<O>>;
  close(): Promise<void>;
}
