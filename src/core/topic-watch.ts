import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../store/database.ts";
import { readStates } from "../store/topic-states.ts";
import type { Topic } from "../store/topics.ts";

interface Watched {
  readonly wakes: Set<() => void>;
  /** As it was last read; undefined until then. */
  state: string | undefined;
}

/**
 * Wakes those who wait for a topic when it changed: at once when the change was announced with its topics, else after a look
 * at the states of all topics that are waited for, which is shared by all who wait in this process.
 */
export class TopicWatch {
  readonly #database: Pick<Database, "reader" | "onChange">;
  readonly #blindPause: number;
  readonly #topics = new Map<Topic, Watched>();
  #end: (() => void) | undefined;
  #learning: Promise<void> | undefined;
  #comparing = false;
  #again = false;

  /** Changes that were not announced are seen after `blindPause` milliseconds. */
  constructor(database: Pick<Database, "reader" | "onChange">, blindPause: number) {
    this.#database = database;
    this.#blindPause = blindPause;
  }

  /** Calls `wake` after each change from when the promise resolves until the function that it gives is called. */
  async watch(topics: readonly Topic[], wake: () => void): Promise<() => void> {
    for (const topic of topics) this.#add(topic, wake);
    this.#end ??= this.#begin();
    const stop = () => {
      for (const topic of topics) this.#remove(topic, wake);
      if (this.#topics.size > 0) return;
      this.#end?.();
      this.#end = undefined;
    };
    try {
      if (topics.some((topic) => this.#topics.get(topic)!.state === undefined)) await this.#learn();
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  #add(topic: Topic, wake: () => void): void {
    const watched = this.#topics.get(topic) ?? { wakes: new Set(), state: undefined };
    watched.wakes.add(wake);
    this.#topics.set(topic, watched);
  }

  #remove(topic: Topic, wake: () => void): void {
    const watched = this.#topics.get(topic);
    if (watched?.wakes.delete(wake) && watched.wakes.size === 0) this.#topics.delete(topic);
  }

  #begin(): () => void {
    const stop = this.#database.onChange((topics) => {
      if (topics === undefined) void this.#compare();
      else for (const topic of topics) this.#wake(topic);
    });
    const timer = setInterval(() => void this.#compare(), this.#blindPause);
    timer.unref();
    return () => {
      stop();
      clearInterval(timer);
    };
  }

  #wake(topic: Topic): void {
    for (const wake of [...(this.#topics.get(topic)?.wakes ?? [])]) wake();
  }

  /** Reads the states of new topics, of all those together that came with one turn of the event loop. */
  #learn(): Promise<void> {
    this.#learning ??= nextTurn().then(async () => {
      this.#learning = undefined;
      const unknown = [...this.#topics].flatMap(([topic, { state }]) => (state === undefined ? topic : []));
      for (const [topic, state] of await readStates(this.#database.reader, unknown)) {
        const watched = this.#topics.get(topic);
        if (watched !== undefined) watched.state ??= state;
      }
    });
    return this.#learning;
  }

  async #compare(): Promise<void> {
    if (this.#comparing) {
      this.#again = true;
      return;
    }
    this.#comparing = true;
    try {
      do {
        this.#again = false;
        const known = [...this.#topics].flatMap(([topic, { state }]) => (state === undefined ? [] : topic));
        for (const [topic, state] of await readStates(this.#database.reader, known)) this.#note(topic, state);
      } while (this.#again);
    } catch {
      // The next look comes soon, and who waits hears of a failure from their own.
    } finally {
      this.#comparing = false;
    }
  }

  #note(topic: Topic, state: string): void {
    const watched = this.#topics.get(topic);
    if (watched === undefined || watched.state === state) return;
    watched.state = state;
    this.#wake(topic);
  }
}
