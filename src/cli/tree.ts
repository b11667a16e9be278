import type { AnyOperation } from "../contract/operation.ts";
import type { Connection, ConnectOptions } from "./connection.ts";
import type { Globals } from "./globals.ts";
import type { Form } from "./output/writer.ts";
import type { Terminal } from "./terminal.ts";

/** What the value of a flag or positional is, so that it can be completed. */
export type Completes =
  | "users"
  | "units"
  | "usertypes"
  | "webhooks"
  | "conversations"
  | "messages"
  | "events"
  | "posts"
  | "groups"
  | "profiles"
  | "file"
  | readonly string[];

/** A field of the input that stands on the line without a flag. */
export interface Positional {
  readonly field: string;
  /** How help calls it; else the field's name. */
  readonly label?: string;
  /** Takes the rest of the line: a list, or words joined by spaces. */
  readonly many?: true;
  readonly optional?: true;
  /** The operation can do without it, but not this command. */
  readonly needed?: true;
  readonly completes?: Completes;
}

/** A command that carries out one operation: presentation, as data. What it takes stands in the contract. */
export interface OperationLeaf {
  readonly op: AnyOperation;
  readonly summary?: string;
  readonly args?: readonly Positional[];
  /** Fields of an item that make a row, as paths: `unit.name`. */
  readonly columns?: readonly string[];
  /** Asked before it is done, with fields of the input, or of what `about` answers, in braces. */
  readonly confirm?: { readonly ask: string; readonly about?: AnyOperation };
  /** Said when it is done and there is nothing to show, with fields of the input in braces. */
  readonly done?: string;
  /** Said when the answer came to a repeat, which holds no secret, with fields of the answer in braces. */
  readonly secretLost?: string;
  readonly examples?: readonly string[];
  /** Other operations for other ways to name what is meant: several IDs, or `--reference`. */
  readonly instead?: {
    readonly several?: AnyOperation;
    readonly reference?: AnyOperation;
  };
  /** A flag that shows what is there already, when an item of `list` has the same values in these fields. */
  readonly unless?: { readonly flag: string; readonly list: AnyOperation; readonly same: readonly string[] };
  /** Optional secrets that are asked for when the service says that it needs them. */
  readonly onDemand?: readonly string[];
  /** Empty fields of what is answered are shown to people, too. */
  readonly whole?: true;
  /** Input fields without a flag. */
  readonly hidden?: readonly string[];
  /** Input fields that name users, as lists where they are flags: they take full names and e-mail addresses, too. */
  readonly people?: readonly string[];
  /** Times that are planned, and the time from which `+90m` counts, if it is not now. */
  readonly ahead?: Readonly<Record<string, string | null>>;
  /** Flags beside those of the input's fields; `fill` makes something of them. */
  readonly flags?: readonly FieldFlag[];
  /** Completes the input with what follows from the rest of it, and from the flags of the line. */
  readonly fill?: (input: Record<string, unknown>, flags: Context["flags"]) => Filled | Promise<Filled>;
  /**
   * A text that the user writes in an editor, as a file of that name: with --edit, and when it is missing, unless it may
   * be, or there is one already, which `from` shows.
   */
  readonly written?: {
    readonly field: string;
    readonly file: string;
    readonly from?: AnyOperation;
    readonly optional?: true;
  };
  /** Draws all items, where a person looks at them. */
  readonly draw?: () => Promise<Draw>;
  /** How people see what is answered, in place of a table. */
  readonly form?: () => Promise<Form>;
}

type Filled = Record<string, unknown>;

export type Draw = (items: readonly Record<string, unknown>[], terminal: Terminal) => string;

/** A flag of a command that is more than one operation. */
export interface OwnFlag {
  /** As commander writes them: `-f, --field <key=value>`. */
  readonly flags: string;
  readonly description: string;
  readonly repeat?: true;
  readonly completes?: Completes;
}

/** A flag that says what an input field is to be, in another way. */
export interface FieldFlag extends OwnFlag {
  readonly field: string;
}

export interface OwnArgument {
  readonly name: string;
  readonly optional?: true;
  readonly many?: true;
  readonly description?: string;
  readonly completes?: Completes;
}

/** A command with work of its own. */
export interface OwnLeaf {
  readonly summary: string;
  readonly description?: string;
  readonly args?: readonly OwnArgument[];
  readonly flags?: readonly OwnFlag[];
  readonly examples?: readonly string[];
  /** Prints data, so that the output options mean something. */
  readonly prints?: true;
  readonly run: (context: Context) => Promise<void>;
}

export interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Entry>>;
}

export type Leaf = OperationLeaf | OwnLeaf;
export type Entry = Group | Leaf;

/** What a command runs with. */
export interface Context {
  readonly terminal: Terminal;
  readonly globals: Globals;
  /** Of an own command: its positionals and flags by name, as typed. */
  readonly args: Readonly<Record<string, string | string[] | undefined>>;
  readonly flags: Readonly<Record<string, unknown>>;
  connect(options?: ConnectOptions): Promise<Connection>;
}

export const isGroup = (entry: Entry): entry is Group => "commands" in entry;
export const isOperation = (entry: Entry): entry is OperationLeaf => "op" in entry;
export const summaryOf = (entry: Entry): string => entry.summary ?? (entry as OperationLeaf).op.summary;
