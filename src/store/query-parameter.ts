export class Parameter {
  readonly name: string;
  /** True when the query takes the only item of the list. */
  isItem = false;
  readonly #markAsList: () => boolean;

  /** `markAsList` returns true when the value is a list of one item. */
  constructor(name: string, markAsList: () => boolean) {
    this.name = name;
    this.#markAsList = markAsList;
  }

  /** Marks the parameter as a list; returns true when the query has to compare with its only item. */
  asList(): boolean {
    this.isItem = this.#markAsList();
    return this.isItem;
  }
}
