import { z } from "zod";
import type { ErrorCode, FieldErrors } from "./errors.ts";
import { once } from "./once.ts";

export const abilities = ["news", "calendar", "groups", "user", "units", "usertypes", "integrations"] as const;
export type Ability = (typeof abilities)[number];

/**
 * Names the input field with the place that an ability has to reach: a `unit`, or the first unit of a `user` (or of each user
 * of a list). A `member` is a user whose unit does not matter: the ability has to reach only the other places. The account of
 * an administrator, as a `user` or a `member`, can be changed by administrators only.
 */
export type Reach = { readonly user: string } | { readonly member: string } | { readonly unit: string };

/** Fields that identify an account: changing one could give the account to another person. */
type IdentityField = "email" | "reference" | "provider";

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

/**
 * `cursor` continues after an item. `pages` counts pages and has totals; so has `hits`, in another form. `ids` counts pages, too,
 * but a whole list is read by the input field `before`, because new items would move others to later pages.
 */
export type Paging = "cursor" | "pages" | "ids" | "hits";

/** One operation of the service, as data. Routes, client, OpenAPI, commands, completions and help derive from it. */
export interface Operation<
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  Items extends string = string,
  Wrapper extends string = string,
> {
  /** `group.verb`; set by `operationGroup()`. */
  readonly name: string;
  /** The tag in the OpenAPI document. Default: the first tag of the group. */
  readonly tag?: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api`. `{name}` is the input field of that name, `{wire=name}` the input field `name` written `wire` on the wire. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly input: () => I;
  /** Fields that are ignored, whatever they hold, when the boolean field `if` is true. */
  readonly ignored?: { readonly if: string; readonly fields: readonly string[] };
  /** The response body; `z.void()` with 204. */
  readonly output: () => O;
  readonly status: 200 | 201 | 204;
  /** Path of the created resource, with fields of the response in braces. */
  readonly location?: string;
  /** Set when the response is a list: the field with its items, and its pagination. */
  readonly list?: { readonly items: Items; readonly paging?: Paging };
  /** Set when the response wraps one resource in this field. */
  readonly item?: Wrapper;
  /** A field by which a client tells the response from that of another program. Default: `id`. A tuple has `0`. */
  readonly knownBy?: string;
  /** Errors in addition to those that access, path, input and transport imply. */
  readonly errors?: readonly ErrorCode[];
  /**
   * `read` (default of GET) runs on the reader; `write` (default of the others) in one serializable transaction; `locking` in one
   * that locks the rows by which it decides, so that calls that change the same rows wait for each other and do not conflict; `own`
   * opens its transactions itself, because something slow or something that has to outlive a failure happens around them.
   */
  readonly transaction: "read" | "write" | "locking" | "own";
  /** Needs a sign-in: API tokens cannot call the operation, whatever their scopes. */
  readonly signInOnly?: true;
  /** Needs no scope of an API token: the operation limits by itself what the token gets. */
  readonly limitsTokens?: true;
  /** May be called by administrators who have to set up two factors before they do anything else. */
  readonly withoutTwoFactor?: true;
  /** Left out of the audit log. */
  readonly private?: true;
  /** Maximum size of the request body in bytes; default 1 MiB. */
  readonly bodyLimit?: number;
  /** Maximum number of values in the request body, as checking each takes time; default 50,000. */
  readonly valueLimit?: number;
  /** The response is bytes and not JSON: the output is a `Content`. */
  readonly bytes?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: any operation, whatever its schemas
export type AnyOperation = Operation<any, any, any, any>;
export type InputOf<O extends AnyOperation> = z.infer<ReturnType<O["input"]>>;
export type ArgumentsOf<O extends AnyOperation> = z.input<ReturnType<O["input"]>>;
export type OutputOf<O extends AnyOperation> = z.infer<ReturnType<O["output"]>>;

/** The type of one resource of the response: an item of a list, the wrapped resource, or the response itself. */
export type ItemOf<O extends AnyOperation> =
  O extends Operation<infer _I, infer Out, infer Items, infer Wrapper>
    ? [Items] extends [never]
      ? FieldOf<z.infer<Out>, Wrapper>
      : ElementOf<FieldOf<z.infer<Out>, Items>>
    : never;
type FieldOf<T, Name extends string> = [Name] extends [never] ? T : Name extends keyof T ? T[Name] : never;
type ElementOf<T> = T extends readonly (infer E)[] ? E : never;

type Definition<I extends z.ZodRawShape, O extends z.ZodType, Items extends string, Wrapper extends string> = Omit<
  Operation<z.ZodType, O, Items, Wrapper>,
  "name" | "method" | "path" | "summary" | "input" | "output" | "status" | "transaction"
> & {
  /** The fields; others are refused. Default: none. */
  readonly input?: () => I;
  /** Default: an empty response, with status 204. */
  readonly output?: () => O;
  readonly status?: 201;
  readonly transaction?: "locking" | "own";
};

/** Declares an operation. Its schemas are built on first use, so declaring many costs no start-up time. */
export function operation<
  O extends z.ZodType = z.ZodVoid,
  I extends z.ZodRawShape = Record<never, never>,
  const Items extends string = never,
  const Wrapper extends string = never,
>(
  method: Operation["method"],
  path: string,
  summary: string,
  definition: Definition<I, O, Items, Wrapper>,
): Operation<z.ZodObject<I, z.core.$strict>, O, NoInfer<Items>, NoInfer<Wrapper>> {
  return {
    name: "",
    method,
    path,
    summary,
    ...definition,
    status: definition.status ?? (definition.output ? 200 : 204),
    transaction: definition.transaction ?? (method === "GET" ? "read" : "write"),
    input: once(() => z.strictObject(definition.input?.() ?? ({} as I))),
    output: once(definition.output ?? (() => z.void() as never)),
  };
}

export function operationGroup<R extends Record<string, AnyOperation>>(name: string, operations: R): R {
  for (const [verb, op] of Object.entries(operations)) Object.assign(op, { name: `${name}.${verb}` });
  return operations;
}

export const idempotencyKeyForm = /^[\x21-\x7e]{1,255}$/;

export interface CallOptions {
  /** Executes the operation and rolls it back; the response is that of a real call. */
  readonly dryRun?: boolean;
  /** A repeated POST with the same key gets the first response. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Called while the body of a request is sent over a network, with the bytes sent and their total. */
  readonly onSent?: (sent: number, of: number) => void;
}

export interface Origin extends CallOptions {
  readonly token?: string;
  /** The network address of the client; absent when the core is embedded. */
  readonly address?: string;
  /** The key of rate limits: an IPv4 address, or the /64 of an IPv6 address in canonical form. */
  readonly network?: string;
  readonly userAgent?: string | undefined;
  /** Called with the user's ID after the token has been verified. */
  readonly onIdentified?: (userId: number) => void;
  /** Wrong fields of a request that its decoded input does not show, like a field given twice, by their names in the request. */
  readonly refused?: FieldErrors;
  /** URL of the service, without a trailing slash. The setting `base_url` takes precedence. */
  readonly servedAt?: string;
}

/** Executes an operation: authenticates, parses, checks permissions, runs. Failures are `ServiceError`s. */
export type Invoke = (op: AnyOperation, input: unknown, origin: Origin) => Promise<unknown>;

/** Executes operations for one actor, in an embedded core or on a remote instance. Failures are `ServiceError`s. */
export interface Caller {
  call<O extends AnyOperation>(op: O, input: ArgumentsOf<O>, options?: CallOptions): Promise<OutputOf<O>>;
  close(): Promise<void>;
}
