import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../store/database.ts";
import { readStates } from "../../store/topic-states.ts";
import type { Topic } from "../../store/topics.ts";

interface Watched {
  readonly wakes: Set<() => void>;
  /** The state at the last read; undefined before that. */
  state: string | undefined;
}

/** Wakes waiters of announced topics immediately, and of others after a periodic comparison of all watched topics. */
export class TopicWatch {
  readonly #database: Pick<Database, "reader" | "onChange">;
  readonly #pollInterval: number;
  readonly #topics = new Map<Topic, Watched>();
  #end: (() => void) | undefined;
  #learning: Promise<void> | undefined;
  #comparing = false;
  #again = false;

  /** `pollInterval` is the number of milliseconds after which unannounced changes are noticed. */
  constructor(database: Pick<Database, "reader" | "onChange">, pollInterval: number) {
    this.#database = database;
    this.#pollInterval = pollInterval;
  }

  /** Calls `wake` after each change, from the moment the promise resolves until the returned function is called. */
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
      if (topics.some((topic) => this.#topics.get(topic)?.state === undefined)) await this.#learn();
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
    const timer = setInterval(() => void this.#compare(), this.#pollInterval);
    timer.unref();
    return () => {
      stop();
      clearInterval(timer);
    };
  }

  #wake(topic: Topic): void {
    for (const wake of [...(this.#topics.get(topic)?.wakes ?? [])]) wake();
  }

  /** Reads the states of new topics, once for all topics added in the same turn of the event loop. */
  #learn(): Promise<void> {
    this.#learning ??= nextTurn().then(() => {
      this.#learning = undefined;
      return this.#read((state) => state === undefined);
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
        await this.#read((state) => state !== undefined);
      } while (this.#again);
    } catch {
      // The next comparison follows soon, and waiters see a failing database in their own reads.
    } finally {
      this.#comparing = false;
    }
  }

  /** Reads the states of these topics, and wakes the waiters of those that changed since the last read. */
  async #read(isRead: (last: string | undefined) => boolean): Promise<void> {
    const topics = [...this.#topics].flatMap(([topic, { state }]) => (isRead(state) ? topic : []));
    for (const [topic, state] of await readStates(this.#database.reader, topics)) {
      const watched = this.#topics.get(topic);
      if (watched === undefined || watched.state === state) continue;
      const isChange = watched.state !== undefined;
      watched.state = state;
      if (isChange) this.#wake(topic);
    }
  }
}
