import { UsageError } from "../errors/cli-errors.ts";

/** Collects the issues of a command line, so that one error names all of them. */
export class LineIssues {
  readonly #errors: UsageError[] = [];
  readonly #flags = new Set<string>();

  /** Some words belong to no argument or option, so values that seem to be missing may be among them. */
  isOpen = false;

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  add(error: UsageError, flags: readonly string[] = []): void {
    this.#errors.push(error);
    this.skip(flags);
  }

  /** Leaves flags or arguments out of further checks. */
  skip(flags: readonly string[]): void {
    for (const flag of flags) this.#flags.add(flag);
  }

  concerns(flag: string): boolean {
    return this.#flags.has(flag);
  }

  /** Returns the result of `read`; undefined, with an issue about the flag, when it throws a `UsageError`. */
  async gather<T>(flag: string, read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.add(error, [flag]);
      return undefined;
    }
  }

  throwAll(): void {
    const [first] = this.#errors;
    if (first === undefined) return;
    const sentences = this.#errors.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`));
    const different = [...new Set(sentences)];
    if (different.length === 1) throw first;
    const usage = this.#errors.find((error) => error.usage !== undefined)?.usage;
    throw new UsageError(different.join("; "), { usage });
  }
}
