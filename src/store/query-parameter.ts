/** A placeholder for a value of a prepared query. */
export class Parameter {
  readonly name: string;
  /** True when the value is a list of one item, of which the query takes the item. */
  readonly single: boolean;
  readonly #markAsList: () => void;
  #takesItem = false;

  constructor(name: string, single: boolean, markAsList: () => void) {
    this.name = name;
    this.single = single;
    this.#markAsList = markAsList;
  }

  /** Marks the parameter as a list; returns true when the query has to compare with its only item. */
  asList(): boolean {
    this.#markAsList();
    this.#takesItem = this.single;
    return this.single;
  }

  valueIn(values: object): unknown {
    const value = (values as Record<string, unknown>)[this.name];
    return this.#takesItem ? (value as unknown[])[0] : value;
  }
}
