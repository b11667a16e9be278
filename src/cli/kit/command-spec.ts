import type { Reference } from "../../contract/field-metadata.ts";
import type {
  AnyOperation,
  ArgumentsOf,
  Caller,
  InputOf,
  ItemOf,
  Operation,
  OutputOf,
} from "../../contract/operation.ts";
import type { Heading } from "../../contract/operation-groups.ts";
import type { Draw, Renderer, RowSpec } from "../output/renderer.ts";
import type { Connection, ConnectionOptions } from "../session/connection.ts";
import type { Globals } from "../terminal/global-options.ts";
import type { HelpSection } from "../terminal/help-layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Shown } from "./shown-names.ts";

/** The kind of value that a flag or argument takes, or its values, for shell completion. */
export type Completes =
  | Exclude<Reference, "files">
  | "messages"
  | "memberships"
  | "profiles"
  | "aliases"
  | "command"
  | "fields"
  | "settings"
  | "settingvalues"
  | "scopes"
  | "operations"
  | "timezones"
  | "languages"
  | "topics"
  | "file"
  | readonly string[];

type FieldName<O extends AnyOperation> = keyof ArgumentsOf<O> & string;

/** Paths like `unit.name` in a value, through lists, at most four names deep. */
type PathIn<T, Depth extends readonly 1[] = [1, 1, 1]> = T extends readonly (infer E)[]
  ? PathIn<E, Depth>
  : T extends object
    ? {
        [K in keyof T & string]:
          | K
          | (Depth extends readonly [1, ...infer Rest extends readonly 1[]] ? Deeper<K, T[K], Rest> : never);
      }[keyof T & string]
    : never;
type Deeper<K extends string, T, Depth extends readonly 1[]> =
  PathIn<NonNullable<T>, Depth> extends infer P extends string ? `${K}.${P}` : never;

/** An input field given as an argument instead of a flag. */
export interface Positional<Field extends string = string> {
  readonly field: Field;
  /** Its name in help; by default the field's name. */
  readonly label?: string;
  /** Takes all remaining arguments: as a list, joined by spaces, or as IDs for each of which the command runs. */
  readonly many?: true;
  readonly optional?: true;
  /** The field has a flag, too. */
  readonly flag?: true;
  /** Makes the field required for this command only. */
  readonly needed?: true;
  readonly completes?: Completes;
}

/** A flag that does not belong to an input field. */
export interface CommandFlag {
  /** In commander's notation: `-f, --field <key=value>`. */
  readonly flags: string;
  readonly description: string;
  readonly repeat?: true;
  /** The key of its value, in place of its name. */
  readonly key?: string;
  readonly choices?: readonly string[];
  /** Offered by completion; by default the choices, and files for `<path>` and `<file>`. */
  readonly completes?: Completes;
  /** The path of the field that `complete` sets from this flag. Errors about the field then name the flag. */
  readonly field?: string;
}

export const dryRunFlag: CommandFlag = { flags: "-n, --dry-run", description: "Check everything, change nothing" };

export interface Request {
  readonly op: AnyOperation;
  readonly input: Record<string, unknown>;
  /** IDs that must all be in the response. */
  readonly ids?: readonly number[];
}

/** A confirmation question about the resource whose ID is the input's field `key`. */
interface ResourceQuestion {
  readonly about: AnyOperation;
  readonly key: string;
  ask(item: unknown, input: Record<string, unknown>, shown: Record<string, unknown>): string;
}

/** A terminal, and the caller that finds what users name or choose on it. */
export interface Dialog {
  readonly caller: Caller;
  readonly terminal: Terminal;
}

/** The input of a running command, for a wizard that asks for optional fields. */
export interface WizardRun extends Dialog {
  readonly input: Record<string, unknown>;
  readonly zone: string | undefined;
  /** Adds words to the command line that is shown at the end. */
  record(...words: readonly string[]): void;
}

interface Wizard {
  ask(run: WizardRun): Promise<Record<string, unknown>>;
  /** Returns missing flags that are not always required. If there are any, the wizard runs even when nothing else is missing. */
  missing?(input: Record<string, unknown>): readonly string[];
}

type Question<O extends AnyOperation> = ((shown: Shown<InputOf<O>>) => string) | ResourceQuestion;

/** Makes a confirmation question from the input, as given and for messages, and the resource that `about` returns for its field `key`. */
export function askAbout<A extends AnyOperation>(
  about: A,
  ask: (item: ItemOf<A>, input: Record<string, unknown>, shown: Record<string, unknown>) => string,
  key = "id",
): ResourceQuestion {
  return { about, key, ask: (item, ...inputs) => ask(item as ItemOf<A>, ...inputs) };
}

/** The input of a running command, and functions to carry it out. */
export interface OperationRun<O extends AnyOperation = AnyOperation> {
  readonly input: InputOf<O>;
  readonly context: Context;
  readonly caller: Caller;
  /** Calls the operation, or tries it with --dry-run, and prints its response: of a list, as many pages as the flags ask for. */
  finish(input: InputOf<O>): Promise<OutputOf<O>>;
  show(item: ItemOf<O> & object): Promise<void>;
}

interface Presentation<O extends AnyOperation> {
  readonly summary?: string;
  readonly description?: string;
  readonly args?: readonly Positional<FieldName<O>>[];
  /** Table columns as paths of fields: `unit.name`. */
  readonly columns?: readonly PathIn<ItemOf<O>>[];
  /** Columns that are shown whole, or not at all. */
  readonly uncut?: readonly PathIn<ItemOf<O>>[];
  readonly confirm?: Question<O>;
  /** The command can be undone by another one. */
  readonly reversible?: true;
  /** Has an effect each time, even with the same input. */
  readonly repeats?: true;
  /** Plural name of the items of a list, when they are not those of the operation's group. */
  readonly items?: string;
  /** Returns the success message of an operation without output; `zone` is that of shown times. */
  done?(input: Shown<InputOf<O>>, zone: string | undefined): string;
  /** Returns the next step after a `conflict`. The service does not know the flags of the command line. */
  onConflict?(input: InputOf<O>): string | undefined;
  readonly examples?: readonly string[];
  /** Returns another request when arguments and flags name the resource in another way. */
  alternative?(args: readonly string[], flags: Context["flags"], isList?: boolean): Request | undefined;
  /** Shows the empty fields of a single item, too. */
  readonly showEmpty?: true;
  /** Fields without an argument or flag of their own. */
  readonly hidden?: readonly FieldName<O>[];
  /** A field that this command requires while the field `unless` is missing. */
  readonly needed?: { readonly field: FieldName<O>; readonly unless: FieldName<O> };
  /** A field that may be missing on the line, and the function that finds it once the others are known. */
  readonly found?: { readonly field: FieldName<O>; by(run: WizardRun): Promise<number> };
  /** Paths of times in the future, each with the field that `+90m` is relative to; null means now. */
  readonly ahead?: { readonly [P in PathIn<ArgumentsOf<O>>]?: FieldName<O> | null };
  readonly flags?: readonly (CommandFlag & { readonly field?: PathIn<ArgumentsOf<O>> })[];
  /** Names of flags, by the paths of their fields, where those made of the path would be long. */
  readonly flagNames?: { readonly [P in PathIn<ArgumentsOf<O>>]?: string };
  /** Adds values that are derived from other fields and from the flags. */
  complete?(
    input: Record<string, unknown>,
    flags: Context["flags"],
  ): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** A text field for an editor: with --edit, and when it is missing and not optional. `from` reads the current text. */
  readonly written?: {
    readonly field: FieldName<O>;
    readonly file: string;
    readonly from?: AnyOperation;
    readonly optional?: true;
  };
  readonly wizard?: Wizard;
  /** Draws all items at once. Used on a terminal. */
  draw?(): Promise<Draw<ItemOf<O>>>;
  readonly rows?: RowSpec<ItemOf<O>>;
  /** Renders items on a terminal instead of a table. */
  renderer?(caller: Caller, input: InputOf<O>): Promise<Renderer<ItemOf<O>>>;
  /** Replaces the default way to carry out the operation. */
  perform?(run: OperationRun<O>): Promise<void>;
}

type RequiredOf<T, K extends keyof T> = T & { readonly [P in K]-?: T[P] };

/** Requires columns, `draw` or `renderer` for lists, and `done` for operations without output. */
type Complete<O extends AnyOperation, P extends Presentation<O>> =
  O extends Operation<infer _I, infer _O, infer Items>
    ? // biome-ignore lint/suspicious/noConfusingVoidType: z.void() is the schema of an output that is empty
      [OutputOf<O>] extends [void]
      ? RequiredOf<P, "done">
      : [Items] extends [never]
        ? P
        : RequiredOf<P, "columns"> | RequiredOf<P, "renderer"> | RequiredOf<P, "draw">
    : P;

/** A command that carries out one operation. The contract defines its input; this defines its presentation. */
export interface OperationCommand extends Presentation<AnyOperation> {
  readonly op: AnyOperation;
}

/** Declares the command of an operation. Unknown fields, columns and flags are compile errors. */
export function command<O extends AnyOperation>(op: O, presentation: Complete<O, Presentation<O>>): OperationCommand;
// biome-ignore lint/suspicious/noExplicitAny: callers only see the typed signature above
export function command(op: AnyOperation, presentation: any): OperationCommand {
  return { op, ...presentation };
}

/** Returns the operation as a list of the items in a field of its response. */
export function listOf<
  I extends Operation["input"] extends () => infer S ? S : never,
  O extends ReturnType<Operation["output"]>,
  const Items extends string,
>(op: Operation<I, O, never, never>, items: Items): Operation<I, O, Items, never> {
  return { ...op, list: { items } };
}

export interface CommandArgument {
  readonly name: string;
  readonly optional?: true;
  readonly many?: true;
  readonly description: string;
  /** Offered by completion; by default files for an argument called `file`. */
  readonly completes?: Completes;
}

export interface CustomCommand {
  readonly summary: string;
  readonly description?: string;
  readonly sections?: readonly HelpSection[];
  readonly args?: readonly CommandArgument[];
  readonly flags?: readonly CommandFlag[];
  readonly examples?: readonly string[];
  /** Prints data, so the output options apply. */
  readonly prints?: true;
  /** Matches the shared options that the command does not know. */
  readonly without?: RegExp;
  /** Only reads and ends by itself, so it takes --watch. */
  readonly watchable?: true;
  readonly run: (context: Context) => Promise<void>;
}

export type TopLevelCommand = Omit<CustomCommand, "summary">;

export type Commands = Readonly<Record<string, CommandEntry>>;

export interface CommandGroup {
  readonly summary: string;
  readonly commands: Commands;
}

export type CommandSpec = OperationCommand | CustomCommand;
export type CommandEntry = CommandGroup | CommandSpec;

/** A top-level command or group. Loaded only when the line names it. */
export interface RegistryEntry {
  readonly summary: string;
  readonly heading: Heading;
  readonly load: () => Promise<CommandEntry>;
}

export type Registry = Readonly<Record<string, RegistryEntry>>;

/** The program, for commands that show or run other commands. */
export interface Program {
  readonly registry: Registry;
  /** Runs another command line on the given terminal, on a connection of its own unless one is given. */
  run(args: readonly string[], terminal: Terminal, connection?: Connection): Promise<void>;
}

export interface Context {
  readonly terminal: Terminal;
  readonly globals: Globals;
  /** Arguments of a custom command by name, as typed. */
  readonly args: Readonly<Record<string, string | string[] | undefined>>;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly program: Program;
  /** Opens a connection, which is closed when the command ends. */
  connect(options?: ConnectionOptions): Promise<Connection>;
  /** Returns a signal that Ctrl-C aborts from now on. The command then fails with `Interrupted`, however it ends. */
  stopOnInterrupt(): AbortSignal;
}

export const isGroup = (entry: CommandEntry): entry is CommandGroup => "commands" in entry;
export const isOperation = (entry: CommandEntry): entry is OperationCommand => "op" in entry;
export const summaryOf = (entry: CommandEntry): string =>
  isOperation(entry) ? (entry.summary ?? entry.op.summary) : entry.summary;
