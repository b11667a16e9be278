/** Runs work of the same name one after the other. */
export class QueuesByName {
  readonly #queues = new Map<string, { length: number; end: Promise<unknown> }>();

  /** Runs `work` after all earlier work of that name. `admit` may throw because of the length of the queue. */
  async run<T>(name: string, work: () => Promise<T>, admit?: (length: number) => void): Promise<T> {
    const queue = this.#queues.get(name) ?? { length: 0, end: Promise.resolve() };
    admit?.(queue.length);
    this.#queues.set(name, queue);
    queue.length += 1;
    const result = queue.end.then(work);
    queue.end = result.catch(() => {});
    try {
      return await result;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.#queues.delete(name);
    }
  }
}
