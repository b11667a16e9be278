import { BoundedMap } from "../../contract/bounded-map.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import type { Ctx } from "./context.ts";
import type { IdentifiedCaller } from "./identify-caller.ts";
import type { Moment } from "./memory-cache.ts";

interface Known extends Pick<Moment, "version"> {
  readonly until: number;
  readonly answer: unknown;
}

/** Caches answers while the data does not change and until the time changes them. */
export class AnswerCache {
  readonly #answers = new BoundedMap<string, Known>(1_000);

  /** Returns the place of the answer to a request. */
  place(op: AnyOperation, { actor, apiToken }: IdentifiedCaller, input: unknown, moment: Moment): AnswerPlace {
    // Lists can be large, so only answers with single objects are cached.
    const isCached = op.transaction === "read" && op.list === undefined && moment.version !== undefined;
    const name = isCached ? `${actor.id} ${apiToken?.id ?? ""} ${op.name} ${JSON.stringify(input)}` : "";
    return new AnswerPlace(this.#answers, name, moment);
  }
}

/** The place of one answer in the cache. */
export class AnswerPlace {
  readonly #answers: BoundedMap<string, Known>;
  readonly #name: string;
  readonly #moment: Moment;
  #until = Number.POSITIVE_INFINITY;

  constructor(answers: BoundedMap<string, Known>, name: string, moment: Moment) {
    this.#answers = answers;
    this.#name = name;
    this.#moment = moment;
  }

  /** The cached answer, if there is one. */
  get known(): Known | undefined {
    const known = this.#name === "" ? undefined : this.#answers.get(this.#name);
    if (known === undefined || known.version !== this.#moment.version) return undefined;
    return this.#moment.now < known.until ? known : undefined;
  }

  /** Returns the context with a clock that notes how long the answer stays the same. */
  watch(ctx: Ctx): Ctx {
    const limit = (time: number) => {
      this.#until = Math.min(this.#until, time);
    };
    const { now } = this.#moment;
    return {
      ...ctx,
      // An answer that depends on the time may be different a second later.
      get now() {
        limit(now);
        return now;
      },
      nowUntil(changes) {
        for (const change of changes) if (change !== null && change > now) limit(change);
        return now;
      },
    };
  }

  keep(answer: unknown): void {
    const { now, version } = this.#moment;
    if (this.#name === "" || now >= this.#until || !isSmall(answer)) return;
    this.#answers.set(this.#name, { version, until: this.#until, answer });
  }
}

/** A post can have a text of 100,000 characters; a cache of a thousand such answers would need too much memory. */
const isSmall = (answer: unknown) => (JSON.stringify(answer)?.length ?? 0) <= 16_384;
